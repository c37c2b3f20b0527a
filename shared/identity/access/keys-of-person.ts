// The API keys that a person made. Those that belong to the tenant outlive them.
import { DAY_MS } from '../../base/lib/durations.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type ApiKey, apiKeys, keysPartition, statusOf } from './api-key.ts'
import { KEY_LIFETIME_DAYS } from '../../base/limits/published.ts'
import { revocation, revokedChange } from './revocation.ts'

/** Most keys revoked in one transaction: each takes five of its hundred items. */
export const KEYS_AT_ONCE = 16

export type KeysOfPerson = {
  /** End with the person's access. */
  own: ApiKey[]
  /** Belong to the tenant. */
  service: ApiKey[]
}

/** The keys that may still be active. Older ones have expired. */
export async function keysOfPerson(ctx: Context, userId: string): Promise<KeysOfPerson> {
  const from = iso(ctx.now() - KEY_LIFETIME_DAYS * DAY_MS)
  const young = await ctx.table.query(apiKeys, { pk: keysPartition(ctx.space.tenant_id), index: 'gsi1', from })
  const made = young.filter((key) => key.created_by === userId)
  return { own: made.filter(({ service }) => !service), service: made.filter(({ service }) => service) }
}

export const activeKeys = (ctx: Context, keys: readonly ApiKey[]): ApiKey[] =>
  keys.filter((key) => statusOf(key, ctx.now()) === 'active')

/** Why a key was revoked together with others. */
export type RevocationReason = 'creator_deprovisioned' | 'credentials_revoked'

export const endedWithPerson = (key: ApiKey, why: RevocationReason = 'creator_deprovisioned'): Change =>
  revokedChange(key, why)

/** Revokes keys in as many transactions as it takes. */
export async function revokeAll(ctx: Context, keys: readonly ApiKey[], why?: RevocationReason): Promise<void> {
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const some = keys.slice(from, from + KEYS_AT_ONCE)
    const [first, ...others] = some.map((key) => endedWithPerson(key, why))
    if (!first) return
    await ctx.table.commit([...some.flatMap((key) => revocation(key, ctx.now())), ...changed(ctx, [first, ...others])])
  }
}
