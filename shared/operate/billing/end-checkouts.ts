// Ends payment pages that are still open: if two were paid, there would be two subscriptions.
import type { Context } from '../../base/context.ts'
import { conflict, unavailable } from '../../base/lib/failure.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { idOf } from './from-stripe.ts'
import { ownSession } from './payment-page.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { asked } from './stripe.ts'
import { type Checkout, checkouts } from './subscription.ts'

/** While it is looked after, its page may be paid. */
export const isOpen = ({ due_at, expires_at }: Checkout, now: number): boolean =>
  due_at !== undefined && Date.parse(expires_at) > now

/** Notes that nobody needs to look after it any more. */
export function endedCheckout(was: Stored<Checkout>): Write {
  const { due_at: _, ...rest } = was
  return checkouts.replace(rest, was, new Overtaken())
}

export const justPaid = () =>
  conflict('A payment has just been made. Read the subscription, then start again.', { code: 'just_paid' })

/** Throws 409 when it was paid meanwhile. */
export async function endCheckout(ctx: Context, { session_id }: Checkout): Promise<void> {
  if (!(await ownSession(ctx, session_id))) return
  const ended = asked((client) => client.checkout.sessions.expire(session_id))
  // What is not open any more cannot be ended.
  const session = await ended.catch(() => ownSession(ctx, session_id))
  if (session?.status === 'open')
    throw unavailable('The payment provider does not answer. Try again.', new Error('a checkout stays open'))
  const of = idOf(session?.subscription)
  if (of === undefined) return
  await refreshSubscription(ctx, of)
  throw justPaid()
}
