// Challenges for people who have not said who they are. A challenge carries its expiry and our mark, so that asking for one
// stores nothing; answering it stores that it was used.
import * as z from 'zod'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import type { Context } from '../../base/context.ts'
import { hmacSha256, sameBytes } from '../../base/lib/hash.ts'
import { entity, key } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { hashOf } from '../access/one-time.ts'

const LIFE_MS = 300_000
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
