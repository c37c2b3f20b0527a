// What each indicator calls good. All of them are ratios of counted events, so they add up over any window.
import { countBelow, MS_EDGES } from '../../base/lib/histogram.ts'
import type { Counts } from './read-window.ts'

export type Ratio = { good: number; total: number }

export type Indicator =
  | {
      metric:
        | 'api_availability'
        | 'execution_success'
        | 'approval_timeliness'
        | 'webhook_delivery'
        | 'evidence_integrity'
        | 'training_success'
    }
  /** `threshold_ms` is an edge of the histogram. */
  | { metric: 'governance_latency'; threshold_ms: number }
  | { metric: 'custom'; name: string }

export function ratioOf(counts: Counts, indicator: Indicator): Ratio {
  switch (indicator.metric) {
    case 'api_availability': {
      const failed = counts.sum('rb')
      const total = Math.max(counts.sum('rq'), failed) // the rate counter may have been out of reach
      return { good: total - failed, total }
    }
    case 'governance_latency': {
      const decisions = counts.histogram('g', MS_EDGES)
      return { good: countBelow(MS_EDGES, decisions, indicator.threshold_ms), total: sumOf(decisions) }
    }
    case 'execution_success':
      return { good: counts.sum('r.ok'), total: counts.sum('r.ok', 'r.failed', 'r.unknown') }
    case 'approval_timeliness':
      return { good: counts.sum('a.sla_hit'), total: counts.sum('a.approved', 'a.rejected', 'a.expired') }
    case 'webhook_delivery':
      return { good: counts.sum('dl_ok'), total: counts.sum('dl_ok', 'dl_bad') }
    case 'evidence_integrity':
      return { good: counts.sum('v.ok'), total: counts.sum('v.ok', 'v.bad') }
    case 'training_success':
      return { good: counts.sum('j.ok'), total: counts.sum('j.ok', 'j.bad') }
    case 'custom':
      return { good: counts.sum(`c.${indicator.name}.g`), total: counts.sum(`c.${indicator.name}.t`) }
    default:
      return indicator satisfies never
  }
}

/** To four decimals; null where there is nothing to divide by, never 0. */
export const rateOf = (part: number, total: number): number | null =>
  total === 0 ? null : Math.round((part / total) * 10_000) / 10_000

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
