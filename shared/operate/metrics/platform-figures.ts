import { type PlatformMetric, platformMetrics } from '../../base/catalog/platform-metrics.ts'
import { MS_EDGES, percentile } from '../../base/lib/histogram.ts'
import { ratioOf } from './indicators.ts'
import type { Counts } from './read-window.ts'

/** What one invocation of `measure` has counted, over all of its spaces. */
export type Pass = {
  counts: Counts
  /** Age (ms) of the oldest minute that it has counted. */
  lag: number
  /** How long (ms) it took. */
  duration: number
  alertsFiring: number
}

const total = (metric: RatioName) => (pass: Pass) => ratioOf(pass.counts, { metric }).total

const failed = (metric: RatioName) => (pass: Pass) => {
  const ratio = ratioOf(pass.counts, { metric })
  return ratio.total - ratio.good
}

type RatioName = 'api_availability' | 'execution_success' | 'webhook_delivery'

/** Null: nothing to tell. */
const FIGURES: Record<PlatformMetric, (pass: Pass) => number | null> = {
  'countersign.requests': total('api_availability'),
  'countersign.requests.failed': failed('api_availability'),
  'countersign.executions': total('execution_success'),
  'countersign.executions.failed': failed('execution_success'),
  'countersign.deliveries': total('webhook_delivery'),
  'countersign.deliveries.failed': failed('webhook_delivery'),
  'countersign.approvals.asked': ({ counts }) => counts.sum('a.asked'),
  'countersign.approvals.ended': ({ counts }) => counts.sum('a.approved', 'a.rejected', 'a.expired', 'a.cancelled'),
  'countersign.limits.lost': ({ counts }) => counts.sum('ll'),
  'countersign.governance.duration': ({ counts }) => percentile(MS_EDGES, counts.histogram('g', MS_EDGES), 0.95),
  'countersign.alerts.firing': ({ alertsFiring }) => alertsFiring,
  'countersign.log.lag': ({ lag }) => lag,
  'countersign.pass.duration': ({ duration }) => duration,
}

/** What is known of a pass, in the order of the list. */
export const platformFigures = (pass: Pass): { name: PlatformMetric; value: number }[] =>
  platformMetrics.flatMap((name) => {
    const value = FIGURES[name](pass)
    return value === null ? [] : [{ name, value }]
  })
