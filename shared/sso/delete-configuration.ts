import { changed } from '../audit/changed.ts'
import type { Context } from '../context.ts'
import { requireRecentFactor } from '../mfa/fresh.ts'
import { tenantOf } from '../tenants/find.ts'
import { configurationOf, notConfigured, ssoConfigurations } from './configuration.ts'

/** People sign in with a password again, which those who never had one set by mail. Their sessions go on. */
export async function deleteSso(ctx: Context): Promise<void> {
  const { table, space } = ctx
  const { tenant_id } = space
  requireRecentFactor(ctx, await tenantOf(table, tenant_id))
  const { protocol } = await configurationOf(table, tenant_id)
  const exists = { expression: 'attribute_exists(pk)' }
  const change = {
    action: 'sso.deleted',
    artifact: 'identity.sso.deleted' as const,
    subject: { type: 'sso', id: tenant_id },
    data: { protocol },
  }
  await table.commit([ssoConfigurations.remove({ tenant_id }, exists, notConfigured()), ...changed(ctx, [change])])
}
