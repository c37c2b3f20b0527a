// Revokes API keys: one, or those of a person whose access ends. Keys that belong to the tenant outlive the person who made
// them.
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { type ApiKey, apiKeys, keyRefs, keysPartition, statusOf } from './api-key.ts'
import type { Context } from '../../base/context.ts'
import { KEY_LIFETIME_DAYS } from '../../base/limits/published.ts'

/** The key stops working with this commit, because it is read at every request. It stays stored for the audit trail. */
export function revocation(key: ApiKey, at: number): Write[] {
  const { tenant_id, id, digest } = key
  const revoked_at = iso(at)
  return [
    apiKeys.update(
      key,
      {
        set: { revoked_at },
        remove: ['gsi2pk', 'gsi2sk'],
        condition: { expression: 'attribute_not_exists(#revoked_at)' },
      },
      conflict('The API key was already revoked by another request. Read it again.'),
    ),
    keyRefs.update({ tenant_id, id }, { set: { tenant_id, id, digest, revoked_at, _type: keyRefs.name } }),
  ]
}

export const revokedChange = ({ id, name }: ApiKey, reason?: string): Change => ({
  action: 'api_key.revoked',
  artifact: 'identity.api_key.revoked',
  subject: { type: 'api_key', id, name },
  changes: [{ path: 'status', before: 'active', after: 'revoked' }],
  ...(reason && { data: { reason }, reason }),
})

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
