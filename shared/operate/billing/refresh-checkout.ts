import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { unlessOvertaken } from '../../base/kernel/retry.ts'
import { idOf } from './from-stripe.ts'
import { ownSession } from './payment-page.ts'
import { allCheckouts } from './read-billing.ts'
import { refreshSubscription } from './refresh-subscription.ts'
import { checkouts } from './subscription.ts'

/** After these times a session is looked at, for the case that its event was lost. */
const LOOKS_MS = [120_000, 600_000, 3_600_000]

/** What a session brought, if it was completed. An event of it is noted with the subscription. */
export async function refreshCheckout(ctx: Context, session_id: string, event_id?: string): Promise<void> {
  const session = await ownSession(ctx, session_id)
  const of = idOf(session?.subscription)
  if (of !== undefined) await refreshSubscription(ctx, of, event_id)
  const was = (await allCheckouts(ctx)).find((one) => one.session_id === session_id)
  if (!was) return
  const { due_at: _, ...rest } = was
  const isOpen = session?.status === 'open'
  const next = isOpen ? { ...rest, looks: was.looks + 1, due_at: nextLook(ctx, was.looks + 1, was.expires_at) } : rest
  await unlessOvertaken(ctx.table.commit([checkouts.replace(next, was)]))
}

const nextLook = (ctx: Context, looks: number, expires_at: string): string => {
  const wait = LOOKS_MS[looks]
  return wait === undefined ? iso(Math.max(Date.parse(expires_at), ctx.now() + 60_000)) : iso(ctx.now() + wait)
}
