// Two calls at once, again and again, whichever comes first.
import { setImmediate } from 'node:timers/promises'

/**
 * Makes both calls in one of so many turns. In the first turn `one` has ended before `other` begins, in the last the reverse;
 * between them they run at once, `one` with a lead that falls from turn to turn, counted in turns of the event loop.
 */
export async function oneFirst<A, B>(
  { turn, turns }: { turn: number; turns: number },
  one: () => Promise<A>,
  other: () => Promise<B>,
): Promise<[A, B]> {
  if (turn === 0) return [await one(), await other()]
  if (turn === turns - 1) {
    const last = await other()
    return [await one(), last]
  }
  const lead = Math.floor(turns / 2) - turn
  return Promise.all([ticks(-lead).then(one), ticks(lead).then(other)])
}

/** Lets others go on for so many turns of the event loop. */
async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await setImmediate()
}
