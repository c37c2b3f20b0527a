// Counters of a repeated past, in memory: fed by what would have run.
import type { Plan } from './counters.ts'
import type { Truth } from '../governance/decide/evaluation.ts'
import { added, EMPTY, isOver, type View } from './window.ts'
import { counterName } from './weigh.ts'

export class PastCounters {
  readonly #views = new Map<string, View>()

  /** Whether each policy was beyond its limit at an instant (ms). */
  over(plans: readonly Plan[], at: number): Map<string, Truth> {
    return new Map(
      plans.map(({ policy_id, counters }) => [
        policy_id,
        counters?.some((counter) => isOver(this.#views.get(counterName(counter)) ?? EMPTY, counter, at)),
      ]),
    )
  }

  add(plans: readonly Plan[], at: number, started: boolean): void {
    for (const counter of plans.flatMap(({ counters = [] }) => counters)) {
      const name = counterName(counter)
      if (started || counter.requests) this.#views.set(name, added(this.#views.get(name) ?? EMPTY, counter, at))
    }
  }
}
