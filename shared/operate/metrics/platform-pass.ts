import { DIMENSION, NAMESPACE, PLATFORM_METRICS } from '../../base/catalog/platform-metrics.ts'
import { env } from '../../base/lib/runtime.ts'
import { print } from '../../base/lib/log.ts'
import type { Sums } from '../../base/kernel/count.ts'
import { startOf } from './periods.ts'
import { platformFigures } from './platform-figures.ts'
import { Counts } from './read-window.ts'

/** Gathers what one invocation counts, over all of its spaces, and prints it as one line for CloudWatch. */
export class PlatformPass {
  readonly #counts = new Counts()
  readonly #startedAt: number
  #lag = 0
  /** Of all its spaces. */
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
    const told = platformFigures({ counts: this.#counts, lag: this.#lag, duration, alertsFiring })
    const Metrics = told.map(({ name }) => ({ Name: name, Unit: PLATFORM_METRICS[name].unit }))
    print({
      _aws: { Timestamp: now, CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions: [[DIMENSION]], Metrics }] },
      [DIMENSION]: env('DEPLOYMENT'),
      ...Object.fromEntries(told.map(({ name, value }) => [name, value])),
    })
  }
}
