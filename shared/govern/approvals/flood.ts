// Counts the actions of one key or client that wait for approval, so that none asks for more than people can review.
import type { Context } from '../../base/context.ts'
import { memory } from '../../base/lib/memory.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { openPartition } from './approval.ts'

/** How long a count is reused, so that a flood of held actions does not cost a read each. */
const FRESH_MS = 10_000
const counts = memory<{ count: number; until: number }>()

/** The count is at most ten seconds old and includes what this process has held since. */
export async function waitingCount(ctx: Context, requester: string): Promise<number> {
  const name = spaceKey(ctx.space, requester)
  const known = counts.get(name)
  if (known && known.until > ctx.now()) return known.count
  const { total } = await ctx.table.count({ pk: openPartition(ctx.space, requester), index: 'gsi3' }, 1)
  counts.set(name, { count: total, until: ctx.now() + FRESH_MS })
  return total
}

/** Adds one waiting action of this requester to the count. */
export function noteHeld(ctx: Context, requester: string): void {
  const known = counts.get(spaceKey(ctx.space, requester))
  if (known) known.count += 1
}
