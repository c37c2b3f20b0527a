import type { Context } from '../context.ts'
import { spaceKey } from '../table/entity.ts'
import { remember } from '../lib/remember.ts'
import { openPartition } from './approval.ts'

/** A count this old still guards: it keeps a flood of held actions from costing a read each. */
const FRESH_MS = 10_000
const counts = new Map<string, { count: number; until: number }>()

/** How many actions of one requester wait for approval, at most ten seconds old, those held here since included. */
export async function openApprovals(ctx: Context, requester: string): Promise<number> {
  const name = spaceKey(ctx.space, requester)
  const now = ctx.now()
  const known = counts.get(name)
  if (known && known.until > now) return (known.count += 1) - 1
  const { total } = await ctx.table.count({ pk: openPartition(ctx.space, requester), index: 'gsi3' }, 1)
  remember(counts, name, { count: total + 1, until: now + FRESH_MS }, 10_000)
  return total
}

/** For harnesses that switch to another deployment in one process. */
export const forgetFloods = (): void => counts.clear()
