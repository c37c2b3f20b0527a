// What is due of a tenant's billing goes to the worker, which alone asks the provider.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { enqueueDue } from './enqueue.ts'
import { allSubscriptions, checkouts, subscriptions } from './subscription.ts'
import { allCheckouts } from './read-billing.ts'

/** Then it is due again, in case its message is lost with everything that was tried. */
const AGAIN_AFTER_MS = 3_600_000

/** `sk`: of a subscription or a checkout. */
export async function sweepBilling(ctx: Context, sk: string): Promise<void> {
  const again = await dueAgain(ctx, sk)
  if (!again) return
  const isUnread = await isFirst(ctx.table.commit([again]))
  if (isUnread) await enqueueDue(ctx.space, sk)
}

async function dueAgain(ctx: Context, sk: string): Promise<Write | undefined> {
  const due_at = iso(ctx.now() + AGAIN_AFTER_MS)
  const isDue = (item: Stored<{ due_at?: string | undefined }>) =>
    item.due_at !== undefined && Date.parse(item.due_at) <= ctx.now()
  if (sk.startsWith('SUB#')) {
    const found = (await allSubscriptions(ctx)).find((one) => subscriptions.key(one).sk === sk)
    return found && isDue(found) ? subscriptions.replace({ ...found, due_at }, found) : undefined
  }
  const found = (await allCheckouts(ctx)).find((one) => checkouts.key(one).sk === sk)
  return found && isDue(found) ? checkouts.replace({ ...found, due_at }, found) : undefined
}
