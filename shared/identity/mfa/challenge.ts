// Challenges for authenticators to sign. Each is valid once, for one person and one purpose, for five minutes.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { ID } from '../../base/wire/fields.ts'
import { entity, key } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import type { Person } from './factor.ts'

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
