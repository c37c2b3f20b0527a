// Revokes one API key.
import { cancelRequests } from '../../govern/approvals/cancel.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { ApiKey } from '../../identity/access/api-key.ts'
import { findKey } from '../../identity/access/key-view.ts'
import { revocation, revokedChange } from '../../identity/access/revocation.ts'

/**
 * Afterwards the key works no more, and its open requests are cancelled. Throws 404 for a key that the tenant does not have. An expired key
 * may be revoked, too. `repeated`: the key was already revoked, and only requests that a crash left open were cancelled.
 */
export async function revokeKey(ctx: Context, id: string): Promise<{ key: ApiKey; repeated: boolean }> {
  const key = await findKey(ctx, id)
  const at = ctx.now()
  if (!key.revoked_at) await ctx.table.commit([...revocation(key, at), ...changed(ctx, [revokedChange(key)])], id)
  await cancelRequests(ctx, { id, mode: key.kind, reason: 'the API key was revoked' })
  return { key: { ...key, revoked_at: key.revoked_at ?? iso(at) }, repeated: key.revoked_at !== undefined }
}
