// Temporary blocks of sign-ins: of an e-mail address, whether or not it has an account; of the second factors of an account;
// of a source address. With them stand the figures that decide when to block, and the score of an unusual sign-in.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso, MINUTE_MS } from '../../base/lib/clock.ts'
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

/** Failures of one account within the span: how many delay it, how many block it. */
export const FAILURES_DELAY = 5
export const FAILURES_BLOCK = 10
export const ACCOUNT_BLOCK_MS = 30 * MINUTE_MS

/** How many different accounts that fail from one source within the span block the source. */
export const ACCOUNTS_BLOCK = 20
export const SOURCE_BLOCK_MS = 60 * MINUTE_MS

/** How many wrong codes of one account within the span block its factors. */
export const CODES_BLOCK = 10
export const FACTORS_BLOCK_MS = 30 * MINUTE_MS

/** A network from which an account signed in within this time stays open when the account is blocked. */
export const KNOWN_NETWORK_MS = 30 * 1_440 * MINUTE_MS

/** A device or country that was not seen for this long counts as new. */
export const FORGOTTEN_AFTER_MS = 90 * 1_440 * MINUTE_MS

/** The instant before which nobody may try again after these failures: 2^(n-5) seconds after the n-th. */
export function waitUntil(failures: readonly number[]): number {
  const last = failures.at(-1)
  if (last === undefined || failures.length < FAILURES_DELAY) return 0
  return last + 1_000 * 2 ** (failures.length - FAILURES_DELAY)
}

/** What is unusual about a sign-in with a right password. */
export type Signs = { failures: number; newDevice: boolean; newCountry: boolean; impossibleTravel: boolean }

/** 0 to 100: the worst of the signs, not their sum. */
export function scoreOf({ failures, newDevice, newCountry, impossibleTravel }: Signs): number {
  return Math.max(Math.min(50, 10 * failures), newDevice ? 20 : 0, newCountry ? 40 : 0, impossibleTravel ? 80 : 0)
}
