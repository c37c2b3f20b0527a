import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { unlessOvertaken } from '../../base/kernel/retry.ts'
import { allSubscriptions } from './all-subscriptions.ts'
import { isOver, type Subscription, subscriptions } from './subscription.ts'

/** A day until the next reading, at most. What is due is tried hourly. */
const AHEAD_MS = 86_400_000
const LATE_MS = 7_200_000

/** Makes due what the sweeper would not find in time: the service gives each subscription that is not over a due time within a day. */
export async function readUnattended(ctx: Context): Promise<void> {
  const now = ctx.now()
  const left = (await allSubscriptions(ctx)).filter((one) => !isOver(one) && !isAttended(one, now))
  for (const one of left) {
    // Unless it was just read.
    await unlessOvertaken(ctx.table.commit([subscriptions.replace({ ...one, due_at: iso(now) }, one)]))
  }
}

function isAttended({ due_at }: Subscription, now: number): boolean {
  const due = Date.parse(due_at ?? '')
  return due > now - LATE_MS && due <= now + AHEAD_MS
}
