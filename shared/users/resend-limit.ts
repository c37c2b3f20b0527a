// How often an address may be sent the same mail again on request: once a minute and five times a day, whether or not it
// belongs to anybody.
import type { Context } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { key } from '../table/entity.ts'
import { emailHash } from './user.ts'

const PAUSE_MS = 60_000
const DAY_MS = 86_400_000
const PER_DAY = 5

/** Counts one and answers true, or answers false. */
export async function mayResend(ctx: Context, email: string): Promise<boolean> {
  const at = ctx.now()
  const counter = { pk: key('COUNTER', 'resend', emailHash(email), iso(at).slice(0, 10)), sk: 'C' }
  const due = {
    expression: 'attribute_not_exists(pk) OR (#last <= :due AND #times < :most)',
    values: { ':due': at - PAUSE_MS, ':most': PER_DAY },
  }
  const _ttl = Math.ceil((at + 2 * DAY_MS) / 1_000)
  try {
    await ctx.table.update(counter, { set: { last: at, _ttl }, add: { times: 1 }, condition: due })
    return true
  } catch (error) {
    if (error instanceof Error && error.name === 'ConditionalCheckFailedException') return false
    throw error
  }
}
