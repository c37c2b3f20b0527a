// Counts the actions of one key or client that wait for approval, so that none asks for more than people can review.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { openPartition } from './approval.ts'

/** How long a count is reused, so that not every held action costs a read. */
const FRESH_MS = 10_000
const counts = memory<{ count: number; until: number }>()

/**
 * How many actions of the requester wait. Far below `max` a count is reused, which includes the actions that this process has held since.
 * It misses decisions, and actions that other processes held, so from half of `max` on the table is counted each time: no action is
 * refused because of a count that is too high.
 */
export async function waitingCount(ctx: Context, requester: string, max: number): Promise<number> {
  const name = spaceKey(ctx.space, requester)
  const known = counts.get(name)
  if (known && known.until > ctx.now() && 2 * known.count < max) return known.count
  const { total } = await ctx.table.count({ pk: openPartition(ctx.space, requester), index: 'gsi3' }, 1)
  counts.set(name, { count: total, until: ctx.now() + FRESH_MS })
  return total
}

/** Adds one waiting action of this requester to the count. */
export function noteHeld(ctx: Context, requester: string): void {
  const known = counts.get(spaceKey(ctx.space, requester))
  if (known) known.count += 1
}
