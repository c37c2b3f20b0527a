// Temporary blocks of sign-ins: of an e-mail address, whether or not it has an account; of the second factors of an account;
// of a source address.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { sha256 } from '../../base/lib/json.ts'
import { entity, key, type Write } from '../../base/table/entity.ts'
import { type User, users } from '../accounts/user.ts'

export const BLOCK_KINDS = ['account', 'factors', 'source'] as const
export type BlockKind = (typeof BLOCK_KINDS)[number]

/** `hash` of the address, the account's id, or the source. */
export type BlockKey = { kind: BlockKind; hash: string }

export const blocks = entity({
  name: 'BLOCK',
  unbound: 'bounded',
  schema: z.object({
    /** ms. */
    until: z.int(),
  }),
  key: ({ kind, hash }: BlockKey) => ({ pk: key('BLOCK', kind, hash), sk: 'B' }),
})

export const hashOfKey = (text: string): string => sha256(text).toString('base64url')

/** Sets a block or extends it. */
export const block = (of: BlockKey, until: number): Write =>
  blocks.update(of, { set: { until, _type: blocks.name, _ttl: Math.ceil(until / 1_000) } })

/** Shows administrators that the account is blocked. No decision reads it. */
export const noteOnAccount = (user: User | undefined, until: number): Write[] =>
  user
    ? [users.update(user, { set: { locked_until: iso(until) }, condition: { expression: 'attribute_exists(pk)' } })]
    : []

/** ms until a block ends; 0 when there is none. */
export async function remaining(ctx: Context, of: BlockKey): Promise<number> {
  const found = await ctx.table.get(blocks, of)
  return Math.max(0, (found?.until ?? 0) - ctx.now())
}

/**
 * The refusal of everything that is blocked or must wait. It says when that ends, in the same words whether or not there is an
 * account: blocks are kept for addresses that have none, too.
 */
export function tooManyAttempts(ms: number, now: number): Failure {
  const retryAfterSeconds = Math.ceil(ms / 1_000)
  const retry_at = iso(now + retryAfterSeconds * 1_000)
  const text = `Too many attempts have failed. Try again ${inWords(retryAfterSeconds)}, at ${retry_at.slice(11, 19)} UTC.`
  return new Failure('rate_limited', text, { retryAfterSeconds, members: { retry_at } })
}

function inWords(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `in ${count} ${unit}${count === 1 ? '' : 's'}`
}
