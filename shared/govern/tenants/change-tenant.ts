// Changes name, logo and settings of a tenant.
import type { Context } from '../../base/context.ts'
import { isWaiting, makeChange, type Waiting } from '../protocol/loosen.ts'
import { type Changed, tenantChange, type TenantChange } from './tenant-change.ts'

/**
 * Afterwards the settings are in force, or wait for a person if they loosen (see protocol/loosen.ts). Roles from groups are given to people
 * after the commit; the sweeper finishes an interrupted run. Throws 403 for a group role, added or removed, that the caller could not give
 * to a person, for settings without a recent second factor if the tenant demands one, and for a retention that the plan does not allow.
 * Throws 409 if `version` is not the current one, also after a concurrent change.
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
