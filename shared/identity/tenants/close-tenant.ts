import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mustHaveSteppedUp } from '../access/assurance.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { tenants } from '../../base/tenant/tenant.ts'

/**
 * Closes the tenant for everybody within 30 seconds, for which containers cache it. Deletes nothing. Throws 422 unless the caller
 * repeats the name of the tenant, 403 without the recent factor that the tenant asks for.
 */
export async function closeTenant(ctx: Context, { confirm }: { confirm: string }): Promise<void> {
  const was = await freshTenant(ctx.table, ctx.space.tenant_id)
  if (confirm !== was.name)
    throw invalid(['confirm'], 'This is not the name of the tenant. Send its exact name to confirm.')
  await mustHaveSteppedUp(ctx)
  const writes = changed(ctx, [
    {
      action: 'tenant.closed',
      artifact: 'identity.tenant.closed',
      subject: { type: 'tenant', id: was.id, name: was.name },
      changes: [{ path: 'status', before: was.status, after: 'closed' }],
    },
  ])
  const lost = conflict('The tenant was changed by another request. Try again.', { code: 'version_conflict' })
  await ctx.table.commit([tenants.replace({ ...was, status: 'closed' }, was, lost), ...writes], was.id)
  forgetTenant(was.id)
}
