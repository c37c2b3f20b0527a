import { mustBeAllowedToGiveRoles, givenRoles } from '../../identity/access/roles.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { given } from '../../base/lib/given.ts'
import type { Context } from '../../base/context.ts'
import type { GovernanceSettings } from '../governance/settings.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { conflict } from '../../base/lib/failure.ts'
import { groupMapping, mappingWrite } from '../../identity/scim/group-mapping.ts'
import { logoWrites } from '../../identity/logo/logo.ts'
import { mailToOwners } from '../../identity/access/mail-to-owners.ts'
import { mustBeInPerson, mustHaveRecentFactor } from '../../identity/access/recent-factor.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustHaveFeature } from '../../base/tenant/features.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { governanceOf } from './governance-of.ts'
import { governanceWrites } from './governance-settings.ts'
import { type Tenant, tenants } from '../../base/tenant/tenant.ts'
import { afterChange, differencesBetween, governanceChange, newGroupRoles, type TenantChange } from './tenant-change.ts'

export type Changed = { tenant: Stored<Tenant>; governance: GovernanceSettings; unchanged: boolean }

/**
 * Roles from groups are applied to people after the commit; the sweeper finishes an interrupted run. Throws 403 for a group
 * role, added or removed, that the caller could not give to a person, and for settings without a recent second factor where
 * the tenant demands one, and for a retention that the plan does not leave to the tenant. Throws 409 when `version` is not the current one.
 */
export async function changeTenant(ctx: Context, change: TenantChange, version?: number): Promise<Changed> {
  const { was, now } = await commitChange(ctx, change, version)
  if (change.settings?.group_roles) {
    const { applyGroupRoles } = await import('../../identity/scim/align-roles.ts')
    await applyGroupRoles(ctx, was.settings.group_roles, now.tenant.settings.group_roles)
  }
  return now
}

async function commitChange(ctx: Context, change: TenantChange, version: number | undefined) {
  const [row, governance, group_roles] = await Promise.all([
    freshTenant(ctx.table, ctx.space.tenant_id),
    governanceOf(ctx),
    groupMapping(ctx),
  ])
  mustBeCurrent(version, row._v)
  // What is in force, and not what the item of the tenant says.
  const tenant = { ...row, settings: { ...row.settings, group_roles } }
  const was = { tenant, governance }
  const next = afterChange(was, change)
  const changes = differencesBetween(was, next)
  if (changes.length === 0) return { was: tenant, now: { ...was, unchanged: true } }
  if (change.settings) mustHaveRecentFactor(ctx, tenant)
  const changesPath = (path: string) => changes.some((one) => one.path === path)
  const { evidence_retention_days: days } = next.tenant.settings
  if (days !== null && changesPath('settings.evidence_retention_days')) mustHaveFeature(tenant, 'evidence_retention')
  const givesOther = changesPath('settings.group_roles')
  if (givesOther) mustBeInPerson(ctx, tenant)
  const roles = newGroupRoles(was, next)
  await mustBeAllowedToGiveRoles(ctx, [...roles, ...newGroupRoles(next, was)])
  const artifact_id = ctx.id('art')
  const governed = await governanceWrites(ctx, governanceChange(was, next), artifact_id)
  const lost = conflict('The tenant was changed by another request. Try again.', { code: 'version_conflict' })
  const writes = changed(
    ctx,
    [
      {
        action: 'tenant.updated',
        artifact: 'identity.tenant.updated',
        artifact_id,
        subject: { type: 'tenant', id: tenant.id, name: next.tenant.name },
        data: { changed_fields: changes.map(({ path }) => path), ...given({ policy_sets: governed.policy_sets }) },
        changes,
      },
    ],
    { mails: givesOther ? [mailToOwners(ctx, 'the roles that groups give')] : [] },
  )
  if (givesOther) {
    const { expectGroupRoles } = await import('../../identity/scim/align-roles.ts')
    await expectGroupRoles(ctx, tenant.settings.group_roles, next.tenant.settings.group_roles)
  }
  await ctx.table.commit(
    [
      tenants.replace(next.tenant, tenant, lost),
      ...governed.writes,
      ...(givesOther ? [await mappingWrite(ctx, next.tenant.settings.group_roles, lost)] : []),
      ...(next.tenant.logo?.sha256 === tenant.logo?.sha256 ? [] : await logoWrites(ctx.table, tenant.id, change.logo)),
      ...givenRoles(tenant.id, roles),
      ...writes,
    ],
    tenant.id,
  )
  forgetTenant(tenant.id)
  const stored = { ...next.tenant, _v: tenant._v + 1 }
  return { was: tenant, now: { tenant: stored, governance: next.governance, unchanged: false } }
}
