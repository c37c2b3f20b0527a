import { mustBeAllowed } from '../access/allowlist.ts'
import { writeAuditEntry } from '../../ledger/audit/write-audit-entry.ts'
import type { Context } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { actingAs } from '../accounts/find.ts'
import type { User } from '../accounts/user.ts'

/**
 * For people who are identified but not signed in yet. Throws 403 for a tenant that is not active or does not accept the
 * address, and writes that to the tenant's audit log, because the request itself belongs to no tenant.
 */
export async function mustBeAllowedIn(ctx: Context, user: User, tenant: Tenant): Promise<void> {
  try {
    if (tenant.status !== 'active') throw forbidden(`Your tenant is ${tenant.status}. Ask an owner of it.`)
    mustBeAllowed(tenant, ctx.request.ip)
  } catch (error) {
    const { id, name } = user
    const reason = error instanceof Error ? error.message : undefined
    const subject = { type: 'user', id, name }
    await writeAuditEntry(actingAs(ctx, user), { action: 'user.sign_in', subject, outcome: 'denied', reason })
    throw error
  }
}
