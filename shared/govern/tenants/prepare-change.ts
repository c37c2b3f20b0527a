// What a change of a tenant's name, logo and settings would write.
import { mustBeAllowedToGiveRoles, givenRoles } from '../../identity/access/roles.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { AuditChange } from '../../ledger/audit/entry.ts'
import { canonicalJson, given, sha256Hex } from '../../base/lib/json.ts'
import type { Context } from '../../base/context.ts'
import type { GovernanceSettings } from '../governance/settings.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { conflict } from '../../base/lib/failure.ts'
import { approvedUnder, type PointerChange, type Under } from '../governance/change.ts'
import { groupMapping, mappingWrite } from '../../identity/scim/groups/group-mapping.ts'
import { logoWrites } from '../../identity/logo/logo.ts'
import { mailToOwners } from '../../identity/access/outrank.ts'
import { mustBeInPerson, mustHaveRecentFactor } from '../../identity/access/assurance.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustHaveFeature } from '../../base/tenant/retention.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { governanceOf } from './governance-of.ts'
import { governanceWrites, type SettingsChange } from './governance-settings.ts'
import { type Tenant, tenants } from '../../base/tenant/tenant.ts'
import {
  afterChange,
  differencesBetween,
  governanceChange,
  looseningBetween,
  newGroupRoles,
  type TenantChange,
} from './tenant-change.ts'

export type Changed = { tenant: Stored<Tenant>; governance: GovernanceSettings; unchanged: boolean }

export type Change = PointerChange<Changed> & { was: Tenant }

/** What a change would write; the answer where it changes nothing. `based_on` names the settings that it was asked for. */
export async function tenantChange(ctx: Context, change: TenantChange, version?: number): Promise<Change | Changed> {
  const [row, governance, group_roles] = await Promise.all([
    freshTenant(ctx.table, ctx.space.tenant_id),
    governanceOf(ctx),
    groupMapping(ctx),
  ])
  mustBeCurrent(version, row._v)
  // What is in force, and not what the item of the tenant says.
  const tenant = { ...row, settings: { ...row.settings, group_roles } }
  const was = { tenant, governance }
  const basis = sha256Hex(canonicalJson({ settings: tenant.settings, governance }))
  const next = afterChange(was, change)
  const changes = differencesBetween(was, next)
  if (changes.length === 0) return { ...was, unchanged: true }
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
  if (givesOther) {
    const { expectGroupRoles } = await import('../../identity/scim/groups/align-roles.ts')
    await expectGroupRoles(ctx, tenant.settings.group_roles, next.tenant.settings.group_roles)
  }
  const others = [
    ...(givesOther ? [await mappingWrite(ctx, next.tenant.settings.group_roles, lost)] : []),
    ...(next.tenant.logo?.sha256 === tenant.logo?.sha256 ? [] : await logoWrites(ctx.table, tenant.id, change.logo)),
    ...givenRoles(tenant.id, roles),
  ]
  return {
    was: tenant,
    what: 'the settings',
    loosens: looseningBetween(was, next),
    asked: { change: 'settings', name: tenant.name, based_on: basis, changes, asked: given({ ...change }) },
    replaces: governed.replaces,
    writes: (under) => [
      { ...tenants.replace(next.tenant, tenant, lost), done: () => void forgetTenant(tenant.id) },
      ...governed.writes,
      ...others,
      ...recorded(ctx, next.tenant, { artifact_id, changes, policy_sets: governed.policy_sets }, under),
    ],
    ref: tenant.id,
    result: { tenant: { ...next.tenant, _v: tenant._v + 1 }, governance: next.governance, unchanged: false },
  }
}

type Recorded = { artifact_id: string; changes: AuditChange[]; policy_sets: SettingsChange['policy_sets'] }

function recorded(ctx: Context, { id, name }: Tenant, { artifact_id, changes, policy_sets }: Recorded, under: Under) {
  const fields = changes.map(({ path }) => path)
  const givesOther = fields.includes('settings.group_roles')
  return changed(
    ctx,
    [
      {
        action: 'tenant.updated',
        artifact: 'identity.tenant.updated',
        artifact_id,
        subject: { type: 'tenant', id, name },
        data: { changed_fields: fields, ...given({ policy_sets }), ...approvedUnder(under) },
        changes,
      },
    ],
    { mails: [...under.mails, ...(givesOther ? [mailToOwners(ctx, 'the roles that groups give')] : [])] },
  )
}
