// How many actions of one key or client wait for approval: whoever asks for more than people can look at is stopped.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { openPartition } from './approval.ts'

/** A count this old still guards: it keeps a flood of held actions from costing a read each. */
const FRESH_MS = 10_000
const counts = memory<{ count: number; until: number }>()

/** At most ten seconds old, those that this container has held since included. */
export async function waitingCount(ctx: Context, requester: string): Promise<number> {
  const name = spaceKey(ctx.space, requester)
  const known = counts.get(name)
  if (known && known.until > ctx.now()) return known.count
  const { total } = await ctx.table.count({ pk: openPartition(ctx.space, requester), index: 'gsi3' }, 1)
  counts.set(name, { count: total, until: ctx.now() + FRESH_MS })
  return total
}

/** One more of this requester waits. */
export function noteHeld(ctx: Context, requester: string): void {
  const known = counts.get(spaceKey(ctx.space, requester))
  if (known) known.count += 1
}
