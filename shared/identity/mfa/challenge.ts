// Challenges for authenticators to sign. Each is valid once, for five minutes: for one person and one purpose, or, at a sign-in by
// passkey alone, for a person who is not known yet.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { ID } from '../../base/wire/fields.ts'
import { entity, key } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import type { Person } from './factor.ts'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { hmacSha256, sameBytes } from '../../base/lib/json.ts'
import { hashOf } from '../access/one-time.ts'

const LIFE_MS = 300_000
const CHALLENGE_BYTES = 32

export const PURPOSES = ['register', 'verify'] as const
export type Purpose = (typeof PURPOSES)[number]

const challenges = entity({
  name: 'CHALLENGE',
  unbound: 'bounded',
  schema: z.object({
    tenant_id: z.string(),
    user_id: z.string(),
    id: z.string(),
    purpose: z.enum(PURPOSES),
    /** base64url. */
    challenge: z.string(),
    /** ms. */
    expires_at: z.int(),
  }),
  key: (of: { tenant_id: string; user_id: string; id: string }) => ({
    pk: key('T', of.tenant_id, 'live', 'USER', of.user_id),
    sk: key('CHALLENGE', of.id),
  }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

/** Stores a challenge for a person and returns it with its id. */
export async function newChallenge(ctx: Context, { tenant_id, id: user_id }: Person, purpose: Purpose) {
  const id = ctx.id('cha')
  const challenge = Buffer.from(ctx.random(CHALLENGE_BYTES)).toString('base64url')
  const expires_at = ctx.now() + LIFE_MS
  await ctx.table.commit([challenges.insert({ tenant_id, user_id, id, purpose, challenge, expires_at })])
  return { id, challenge }
}

/** Uses up a challenge before its answer is checked. Undefined when it is unknown, expired or used. */
export async function takeChallenge(ctx: Context, { tenant_id, id: user_id }: Person, id: string, purpose: Purpose) {
  if (!ID.test(id)) return undefined
  const of = { tenant_id, user_id, id }
  const found = await ctx.table.get(challenges, of)
  if (!found || found.purpose !== purpose || found.expires_at <= ctx.now()) return undefined
  const commit = ctx.table.commit([challenges.remove(of, { expression: 'attribute_exists(pk)' })])
  return (await isFirst(commit)) ? found.challenge : undefined
}

const RANDOM_BYTES = 16
const TIME_BYTES = 6
const PURPOSE = 'passkey challenges'

const usedChallenges = entity({
  name: 'USEDCHALLENGE',
  unbound: 'bounded',
  schema: z.object({
    hash: z.string(),
    /** ms. */
    expires_at: z.int(),
  }),
  key: ({ hash }: { hash: string }) => ({ pk: key('USEDCHALLENGE', hash), sk: 'USED' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

/**
 * A challenge for somebody who has not said who they are. It carries its expiry and our mark, so that asking for one stores
 * nothing; answering it stores that it was used.
 */
export async function openChallenge(ctx: Context): Promise<string> {
  const until = Buffer.alloc(TIME_BYTES)
  until.writeUIntBE(ctx.now() + LIFE_MS, 0, TIME_BYTES)
  const said = Buffer.concat([ctx.random(RANDOM_BYTES), until])
  return Buffer.concat([said, await markOf(said)]).toString('base64url')
}

const markOf = async (said: Uint8Array) => hmacSha256(await derivedKey(PURPOSE), said)

/** Uses a challenge up before its answer is checked. False for one that is not ours, expired or used. */
export async function takeOpenChallenge(ctx: Context, challenge: string): Promise<boolean> {
  const bytes = Buffer.from(challenge, 'base64url')
  const said = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES)
  if (said.length < RANDOM_BYTES + TIME_BYTES) return false
  if (!sameBytes(await markOf(said), bytes.subarray(said.length))) return false
  const expires_at = said.readUIntBE(RANDOM_BYTES, TIME_BYTES)
  if (expires_at <= ctx.now()) return false
  // Of the bytes, since one challenge can be written in several ways.
  const hash = hashOf(said.toString('hex'))
  return isFirst(ctx.table.commit([usedChallenges.insert({ hash, expires_at })]))
}
