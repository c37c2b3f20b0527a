// Whether the condition of a rule holds, for each set of labels that it is about.
import type { Alert } from '../alerts/alert.ts'
import type { Hits } from './folder.ts'
import { minutesIn, type AlertRule } from '../alerts/rule.ts'
import type { Severity } from '../definitions/severity.ts'
import { MS_EDGES, percentile } from '../../base/lib/histogram.ts'
import { sumOf } from '../metrics/indicators.ts'
import { MINUTE } from '../metrics/state.ts'
import type { Counts as Series } from '../metrics/read-window.ts'
import { allowedShare, burning, burnRate } from '../slos/budget.ts'
import { burnSpans, countsOf, countsOver, type WindowReader } from '../slos/counts.ts'
import { type Indicator, INDICATORS, objectiveOf, type Slo } from '../slos/slo.ts'
import { anySeries, badSeries, slowSeries } from './metric-series.ts'

export type Finding = {
  labels: Record<string, string>
  title: string
  severity: Severity
  /** Undefined: there was nothing to judge. */
  holds: boolean | undefined
  value: number | null
  threshold: number | null
}

/** `seen`: the last minute (ms) in which a series grew. */
export type Known = {
  reader: WindowReader
  slos: readonly Slo[]
  hits: Hits
  seen: Readonly<Record<string, number>>
  /** Open alerts of a rule, with whether the work that each is about goes on. */
  late: (rule: AlertRule) => Promise<{ alert: Alert; holds: boolean }[]>
}

/** A percentile of fewer values says little. */
const VALUES_MIN = 10
const GROUPS_MAX = 100

/** False where nothing was counted that could make it true, so a healthy space reads no metrics. */
export function canHold(rule: AlertRule, { reader: { asOf }, slos, hits, seen }: Known): boolean {
  const lastOf = (series: readonly string[]) => Math.max(0, ...series.map((name) => seen[name] ?? 0))
  const isWithin = (at: number, minutes: number) => at > 0 && at >= asOf - minutes * MINUTE
  const minutes = minutesIn(rule.window)
  switch (rule.kind) {
    case 'event':
      return isWithin(hits[rule.id]?.at(-1)?.[0] ?? 0, minutes)
    case 'burn_rate': {
      const slo = slos.find(({ id }) => id === rule.slo_id)
      return (
        slo !== undefined &&
        isWithin(lastOf(badSeries(slo.sli)), Math.max(...burnSpans(objectiveOf(slo).window_minutes)))
      )
    }
    case 'absence':
      return lastOf(anySeries(sliOf(rule))) > 0 && !isWithin(lastOf(anySeries(sliOf(rule))), minutes)
    case 'threshold': {
      return isWithin(lastOf(seriesThatRaise(rule)), minutes)
    }
    case 'sla':
      return false
    default:
      return rule.kind satisfies never
  }
}

/** The series that must grow for the condition to come true. */
function seriesThatRaise(rule: AlertRule): string[] {
  const { aggregation = '', op, threshold = 0 } = rule
  if (op !== 'gt' && op !== 'gte') return anySeries(sliOf(rule))
  if (aggregation === 'ratio') return badSeries(sliOf(rule))
  return /^p\d/.test(aggregation) ? slowSeries(sliOf(rule), threshold) : anySeries(sliOf(rule))
}

export async function findings(rule: AlertRule, known: Known): Promise<Finding[]> {
  switch (rule.kind) {
    case 'event':
      return [eventFinding(rule, known)]
    case 'burn_rate':
      return burnFindings(rule, known)
    case 'absence':
      return [{ ...plain(rule), holds: canHold(rule, known), value: null, threshold: null }]
    case 'threshold':
      return thresholdFindings(rule, known)
    case 'sla':
      return lateFindings(rule, known)
    default:
      return rule.kind satisfies never
  }
}

const plain = ({ name, severity }: AlertRule) => ({ labels: {}, title: name, severity })

function eventFinding(rule: AlertRule, { hits, reader: { asOf } }: Known): Finding {
  const from = asOf - minutesIn(rule.window) * MINUTE
  const value = (hits[rule.id] ?? []).filter(([minute]) => minute >= from).reduce((sum, [, count]) => sum + count, 0)
  const threshold = rule.count ?? 1
  return { ...plain(rule), holds: value >= threshold, value, threshold }
}

const BURN = { critical: 'page', high: 'ticket' } as const

/** The page and the ticket of an objective are two alerts. */
async function burnFindings(rule: AlertRule, { reader, slos }: Known): Promise<Finding[]> {
  const slo = slos.find(({ id }) => id === rule.slo_id)
  if (!slo) return []
  const objective = objectiveOf(slo)
  const over = await countsOver(reader, slo.sli, burnSpans(objective.window_minutes))
  const rows = burning(objective, over)
  return (['critical', 'high'] as const).flatMap((severity) => {
    if (!slo.alerting[BURN[severity]]) return []
    const row = rows.find((each) => each.severity === severity)
    const value = row ? round(burnRate(over(row.long), slo.target_percent)) : null
    const threshold = row ? Math.min(row.factor, round(0.9 / allowedShare(slo.target_percent))) : null
    const title = `${slo.name}: the error budget is used up too fast`
    return [
      { labels: { slo_id: slo.id, burn: BURN[severity] }, title, severity, holds: row !== undefined, value, threshold },
    ]
  })
}

async function thresholdFindings(rule: AlertRule, { reader }: Known): Promise<Finding[]> {
  const series = await reader.last(minutesIn(rule.window))
  if (!rule.group_by?.length) return [judged(rule, valueOf(rule, series), plain(rule))]
  return series
    .under('n.')
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, GROUPS_MAX)
    .map(([node_id, total]) => {
      const value = aggregated(rule, { total, bad: series.sum(`nb.${node_id}`) })
      return judged(rule, value, { ...plain(rule), labels: { node_id }, title: `${rule.name}: ${node_id}` })
    })
}

/** Findings of alerts that work raised; a look finds no new ones. */
const lateFindings = async (rule: AlertRule, { late }: Known): Promise<Finding[]> =>
  (await late(rule)).map(({ alert: { labels, title, value, threshold }, holds }) => ({
    ...plain(rule),
    labels,
    title,
    value,
    threshold,
    holds,
  }))

type Named = Pick<Finding, 'labels' | 'title' | 'severity'>

function judged({ op = 'gt', threshold = 0 }: AlertRule, value: number | undefined, named: Named): Finding {
  if (value === undefined) return { ...named, holds: undefined, value: null, threshold }
  const holds = { gt: value > threshold, gte: value >= threshold, lt: value < threshold, lte: value <= threshold }[op]
  return { ...named, holds, value: round(value), threshold }
}

/** Undefined when there was nothing to judge. */
function valueOf(rule: AlertRule, series: Series): number | undefined {
  const { metric = '', aggregation } = rule
  if (aggregation?.startsWith('p')) {
    const buckets = series.histogram(metric === 'end_to_end_latency' ? 'e' : 'g', MS_EDGES)
    if (sumOf(buckets) < VALUES_MIN) return undefined
    return percentile(MS_EDGES, buckets, Number(aggregation.slice(1)) / 100) ?? undefined
  }
  if (metric === 'approvals_overdue' || metric === 'approvals_asked') {
    const count = series.sum(...anySeries(sliOf(rule)))
    return count === 0 ? undefined : aggregated(rule, { total: count, bad: count })
  }
  const counts = countsOf(series, sliOf(rule))
  return counts.total === 0 ? undefined : aggregated(rule, counts)
}

/** A ratio is bad / total; sums and rates count what is bad. `rate` is for each minute. */
function aggregated(
  { aggregation, window }: AlertRule,
  { total, bad }: { total: number; bad: number },
): number | undefined {
  if (aggregation === 'ratio') return total === 0 ? undefined : bad / total
  return aggregation === 'rate' ? bad / minutesIn(window) : bad
}

export type Metric = Indicator | 'end_to_end_latency' | 'approvals_overdue' | 'approvals_asked'

/** A rule names a custom series as `custom.<name>`. */
export function sliOf({ metric = '' }: Pick<AlertRule, 'metric'>): { metric: Indicator; name?: string; of?: Metric } {
  if (metric.startsWith('custom.')) return { metric: 'custom', name: metric.slice('custom.'.length) }
  const indicator = INDICATORS.find((name) => name === metric)
  return indicator ? { metric: indicator } : { metric: 'custom', of: metric as Metric } // checked where the rule was posted
}

const round = (value: number) => Math.round(value * 10_000) / 10_000
