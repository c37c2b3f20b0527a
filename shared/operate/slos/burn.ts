// Multi-window burn-rate alerts (Google SRE workbook, "Alerting on SLOs"): a long window proves that the burn matters, a short
// one that it goes on.
import { allowedShare, type Counts, type CountsOver, DAY, HOUR, type Objective } from './budget.ts'

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

/** The rows that fire now. */
export const burning = ({ target_percent, window_minutes }: Objective, over: CountsOver): BurnRow[] =>
  burnRows(window_minutes).filter(({ factor, long, short }) => {
    const threshold = Math.min(factor * allowedShare(target_percent), SHARE_MAX)
    return reaches(over(long), threshold, BAD_LONG_MIN) && reaches(over(short), threshold, BAD_SHORT_MIN)
  })

const reaches = ({ total, bad }: Counts, threshold: number, badMin: number): boolean =>
  bad >= badMin && bad >= threshold * total
