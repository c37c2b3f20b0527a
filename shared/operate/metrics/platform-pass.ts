// The operator's figures of one run of the worker, over all spaces that it reads.
import {
  DIMENSION,
  NAMESPACE,
  PLATFORM_METRICS,
  type PlatformMetric,
  platformMetrics,
} from '../../base/catalog/platform-metrics.ts'
import { env } from '../../base/lib/runtime.ts'
import { print } from '../../base/lib/log.ts'
import type { Sums } from '../../base/kernel/count.ts'
import { startOf } from './state.ts'
import { Counts } from './read-window.ts'
import { MS_EDGES, percentile } from '../../base/lib/histogram.ts'
import { ratioOf } from './indicators.ts'

/** Gathers what one invocation counts, over all of its spaces, and prints it as one line for CloudWatch. */
export class PlatformPass {
  readonly #counts = new Counts()
  readonly #startedAt: number
  #lag = 0
  /** Alerts that fire in all its spaces. */
  alertsFiring = 0

  constructor(now: number) {
    this.#startedAt = now
  }

  /** Adds what a transaction has stored. */
  readonly add = (stored: Sums): void => {
    for (const { item, added } of stored.items()) {
      this.#lag = Math.max(this.#lag, this.#startedAt - startOf(item.sk))
      for (const [series, by] of added) this.#counts.add(series, by)
    }
  }

  /** In the embedded metric format: CloudWatch makes metrics of this line of the log, without a call. */
  print(now: number): void {
    const duration = now - this.#startedAt
    const alertsFiring = this.alertsFiring
    const figures = platformFigures({ counts: this.#counts, lag: this.#lag, duration, alertsFiring })
    const Metrics = figures.map(({ name }) => ({ Name: name, Unit: PLATFORM_METRICS[name].unit }))
    print({
      _aws: { Timestamp: now, CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions: [[DIMENSION]], Metrics }] },
      [DIMENSION]: env('DEPLOYMENT'),
      ...Object.fromEntries(figures.map(({ name, value }) => [name, value])),
    })
  }
}

/** The counts of one invocation of `measure`, over all of its spaces. */
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

/** Null: nothing to report. */
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

/** The figures of a pass that are known, in the order of the list. */
const platformFigures = (pass: Pass): { name: PlatformMetric; value: number }[] =>
  platformMetrics.flatMap((name) => {
    const value = FIGURES[name](pass)
    return value === null ? [] : [{ name, value }]
  })
