import type { Context } from '../../base/context.ts'
import { isWaiting, makeChange, type Waiting } from '../protocol/loosen.ts'
import { type Changed, tenantChange, type TenantChange } from './tenant-change.ts'

/**
 * Roles from groups are applied to people after the commit; the sweeper finishes an interrupted run. Settings that loosen what is
 * held wait, or need the person (see loosen.ts). Throws 403 for a group role, added or removed, that the caller could not give to a
 * person, for settings without a recent second factor where the tenant demands one, and for a retention that the plan does not leave
 * to the tenant. Throws 409 when `version` is not the current one.
 */
export async function changeTenant(ctx: Context, change: TenantChange, version?: number): Promise<Changed | Waiting> {
  const asked = await tenantChange(ctx, change, version)
  if (!('writes' in asked)) return asked
  const made = await makeChange(ctx, asked)
  if (isWaiting(made) || !change.settings?.group_roles) return made
  const { applyGroupRoles } = await import('../../identity/scim/groups/align-roles.ts')
  await applyGroupRoles(ctx, asked.was.settings.group_roles, made.tenant.settings.group_roles)
  return made
}
