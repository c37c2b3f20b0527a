// Counts wrong second factors. The caller already knows the password, so known networks are not exempt. Only the factors of
// the account are blocked.
import type { Context } from '../../base/context.ts'
import type { User } from '../accounts/user.ts'
import { block, type BlockKey, hashOfKey, remaining, noteOnAccount, tooManyAttempts } from './block.ts'
import { raise } from './raise.ts'
import { CODES_BLOCK, FACTORS_BLOCK_MS } from './rules.ts'
import { count, SPANS } from './tally.ts'

export const factorsBlock = (user_id: string): BlockKey => ({ kind: 'factors', hash: hashOfKey(user_id) })

/** Throws 429 while the second factors of an account are blocked. */
export async function mustHaveOpenFactors(ctx: Context, user_id: string): Promise<void> {
  const wait = await remaining(ctx, factorsBlock(user_id))
  if (wait > 0) throw tooManyAttempts(wait, ctx.now())
}

/** Counts a wrong code. Too many block the factors of the account and raise a security event. */
export async function noteWrongCode(ctx: Context, user: User): Promise<void> {
  const wrong = await count(ctx.table, { counted: 'codes', of: user.id }, ctx.request.request_id)
  if (wrong.length < CODES_BLOCK) return
  const until = ctx.now() + FACTORS_BLOCK_MS
  await raise(ctx, {
    type: 'mfa_flood',
    severity: 'high',
    action_taken: 'blocked',
    ip: ctx.request.ip,
    user,
    details: { count: wrong.length, threshold: CODES_BLOCK },
    once: { of: user.id, ms: SPANS.codes },
    notify: 'administrators',
    writes: [block(factorsBlock(user.id), until), ...noteOnAccount(user, until)],
  })
}
