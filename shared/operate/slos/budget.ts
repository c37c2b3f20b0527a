// The arithmetic of an error budget: how much unreliability a target allows, and how much of it is used up.

/** Events of a span, and how many of them missed the objective. */
export type Counts = { total: number; bad: number }

/** The counts of the last so many minutes, up to the end of the last measured one. */
export type CountsOver = (minutes: number) => Counts

const HOUR = 60
export const DAY = 24 * HOUR

const MILLIONTHS = 1_000_000

/** Percent of events that may be bad, in millionths: targets such as 99.9 have no exact binary form. */
const allowedOf = (targetPercent: number): number => Math.round((100 - targetPercent) * MILLIONTHS)

/** The share of events that may be bad, between 0 and 1. */
export const allowedShare = (targetPercent: number): number => allowedOf(targetPercent) / (100 * MILLIONTHS)

export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

/** The bad share of `counts`, as a multiple of the share that the target allows. 1 uses the budget up exactly within its window. */
export const burnRate = ({ total, bad }: Counts, targetPercent: number): number =>
  total === 0 ? 0 : (bad * 100 * MILLIONTHS) / (total * allowedOf(targetPercent))

export type Budget = {
  /** Percent of good events; null without events. */
  current_value: number | null
  budget_consumed_percent: number
  /** Negative when more than the whole budget is used up. */
  budget_remaining_percent: number
  /** The burn rate of the last seventh of the window, at least of the last hour. */
  projected_burn_rate: number
  total_events: number
  bad_events: number
  allowed_bad_events: number
  /** Minutes until nothing remains at the projected rate; null when that never comes or has come. */
  minutes_to_exhaustion: number | null
}

export type Objective = { target_percent: number; window_minutes: number }

/** The span from which the burn rate is projected. */
export const projectionMinutes = ({ window_minutes }: Pick<Objective, 'window_minutes'>): number =>
  Math.max(HOUR, Math.round(window_minutes / 7))

/** Google SRE workbook, "Implementing SLOs". Percentages are rounded to four decimals. */
export function budgetOf({ target_percent, window_minutes }: Objective, over: CountsOver): Budget {
  const { total, bad } = over(window_minutes)
  const consumed = 100 * burnRate({ total, bad }, target_percent)
  const remaining = 100 - consumed
  const rate = burnRate(over(projectionMinutes({ window_minutes })), target_percent)
  const ends = rate > 0 && remaining > 0
  return {
    current_value: total === 0 ? null : rounded((100 * (total - bad)) / total),
    budget_consumed_percent: rounded(consumed),
    budget_remaining_percent: rounded(remaining),
    projected_burn_rate: rounded(rate),
    total_events: total,
    bad_events: bad,
    allowed_bad_events: rounded(total * allowedShare(target_percent)),
    minutes_to_exhaustion: ends ? ((remaining / 100) * window_minutes) / rate : null,
  }
}

export const SLO_STATUSES = ['no_data', 'breached', 'at_risk', 'healthy'] as const
export type SloStatus = (typeof SLO_STATUSES)[number]

type Risk = { min_events: number; burning: boolean }

/** The first that holds. `burning`: a burn-rate alert of the objective is open. */
export function statusOf(budget: Budget, { min_events, burning }: Risk): SloStatus {
  const { total_events, budget_remaining_percent: remaining, projected_burn_rate: rate } = budget
  if (total_events < min_events) return 'no_data'
  if (remaining <= 0) return 'breached'
  return remaining <= 25 || (rate > 1 && remaining < 50) || burning ? 'at_risk' : 'healthy'
}

// Multi-window burn-rate alerts (Google SRE workbook, "Alerting on SLOs"): a long window proves that the burn matters, a short
// one that it goes on.

export type BurnSeverity = 'critical' | 'high'
export type BurnRow = { severity: BurnSeverity; factor: number; long: number; short: number }

/** Rows for a window of 28 days, in minutes. */
const ROWS = [
  { severity: 'critical', factor: 14.4, long: HOUR },
  { severity: 'critical', factor: 6, long: 6 * HOUR },
  { severity: 'high', factor: 3, long: DAY },
  { severity: 'high', factor: 1, long: 3 * DAY },
] as const

/** Uncapped, a target below 93.06 % could never page: no more than all events can be bad. */
const SHARE_MAX = 0.9
const BAD_LONG_MIN = 5
const BAD_SHORT_MIN = 1

/** The rows of a window: same factors, spans in proportion. */
export const burnRows = (windowMinutes: number): BurnRow[] =>
  ROWS.map(({ severity, factor, long }) => {
    const scaled = Math.max(15, Math.round((long * windowMinutes) / (28 * DAY)))
    return { severity, factor, long: scaled, short: Math.max(5, Math.round(scaled / 12)) }
  })

/** The rows that fire now: the burn reaches its threshold over both windows. */
export const burning = ({ target_percent, window_minutes }: Objective, over: CountsOver): BurnRow[] =>
  burnRows(window_minutes).filter(({ factor, long, short }) => {
    const threshold = Math.min(factor * allowedShare(target_percent), SHARE_MAX)
    return reaches(over(long), threshold, BAD_LONG_MIN) && reaches(over(short), threshold, BAD_SHORT_MIN)
  })

const reaches = ({ total, bad }: Counts, threshold: number, badMin: number): boolean =>
  bad >= badMin && bad >= threshold * total
