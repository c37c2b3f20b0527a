// Limits how often the same mail may be requested for an address, whether or not it has an account, so that nobody can flood
// a mailbox through the service.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { key } from '../../base/table/entity.ts'
import { emailHash } from '../accounts/user.ts'

/** At most `most` mails in each `window`, with a `pause` between them (both in ms). */
type Limit = { most: number; window: number; pause: number }

/** Counts one verification mail. False beyond one a minute or five a day. */
export const mayResend = (ctx: Context, email: string): Promise<boolean> =>
  mayMail(ctx, ['resend', emailHash(email)], { most: 5, window: DAY_MS, pause: MINUTE_MS })

/**
 * Counts one password reset mail. False beyond five an hour: links live for an hour, so the person still has valid ones. Each
 * tenant has its own count; otherwise requests for one tenant would block the mail of another.
 */
export const mayReset = (ctx: Context, { email, tenant_id = '*' }: { email: string; tenant_id?: string | undefined }) =>
  mayMail(ctx, ['reset', emailHash(email), tenant_id], { most: 5, window: HOUR_MS, pause: 0 })

async function mayMail(ctx: Context, of: readonly string[], { most, window, pause }: Limit): Promise<boolean> {
  const at = ctx.now()
  const start = at - (at % window)
  const due = {
    expression: 'attribute_not_exists(pk) OR #last <= :due AND #times < :most',
    values: { ':due': at - pause, ':most': most },
  }
  const _ttl = Math.ceil((start + 2 * window) / 1_000)
  try {
    const counter = { pk: key('COUNTER', ...of, String(start)), sk: 'C' }
    await ctx.table.update(counter, { set: { last: at, _ttl }, add: { times: 1 }, condition: due })
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
