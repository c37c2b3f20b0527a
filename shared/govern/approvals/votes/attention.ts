// How long people looked at an action before they voted. A fast yes says little about the action, so a model that learns from votes
// weighs them by this. Pure, since it is also computed for many approvals at once.
import type { Vote } from '../approval.ts'

/** A vote, with the time at which its approval was requested. */
export type Cast = Pick<Vote, 'at' | 'persons'> & { requested_at: string }

/** Seconds. Nobody reads an action faster. */
const RUSHED_BELOW = 3

export const isRushed = (seconds: number): boolean => seconds < RUSHED_BELOW

/**
 * The seconds of attention of each vote, in the given order: since its request, or since the last vote of the same people on any
 * approval if that is less. Votes of one instant were a batch, and all of them get 0. Give it all votes of the time in question.
 */
export function attentionOf(casts: readonly Cast[]): number[] {
  const former = new Map<string, number>()
  const seconds = casts.map(() => 0)
  const byTime = Map.groupBy(casts.keys(), (index) => Date.parse(casts[index]?.at ?? ''))
  for (const [at, indexes] of [...byTime].toSorted(([a], [b]) => a - b)) {
    const here = indexes.flatMap((index) => [...new Set(casts[index]?.persons)])
    for (const index of indexes) {
      const { persons, requested_at } = casts[index] ?? { persons: [], requested_at: '' }
      const isBatch = persons.some((person) => here.indexOf(person) !== here.lastIndexOf(person))
      const last = Math.max(Date.parse(requested_at), ...persons.map((person) => former.get(person) ?? -Infinity))
      seconds[index] = isBatch ? 0 : Math.max(0, at - last) / 1_000
    }
    for (const person of here) former.set(person, at)
  }
  return seconds
}
