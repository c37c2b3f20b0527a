// What a change of a tenant's name, logo and settings would write, and the pure rules for it. Two settings exist in the tenant and in
// its governance under the same name, and always have the same value.
import { canonicalJson, given, sha256Hex } from '../../base/lib/json.ts'
import type { AuditChange } from '../../ledger/audit/entry.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { logoIn, logoWrites } from '../../identity/logo/logo.ts'
import { looseningOfSettings } from '../governance/loosening.ts'
import type { GovernanceSettings } from '../governance/settings.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { type McpSettings, type Tenant, tenants, type TenantSettings } from '../../base/tenant/tenant.ts'
import { givenRoles, mustBeAllowedToGiveRoles } from '../../identity/access/roles.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { approvedUnder, type PointerChange, type Under } from '../governance/change.ts'
import { groupMapping, mappingWrite } from '../../identity/scim/groups/group-mapping.ts'
import { mailToOwners } from '../../identity/access/outrank.ts'
import { mustBeInPerson, mustHaveRecentFactor } from '../../identity/access/assurance.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustHaveFeature } from '../../base/tenant/retention.ts'
import { forgetTenant, freshTenant } from '../../base/tenant/find.ts'
import { governanceOf } from './tenant-view.ts'
import { governanceWrites, type SettingsChange } from './governance-settings.ts'

type Some<T> = { [K in keyof T]?: T[K] | undefined }

export type TenantChange = {
  name?: string | undefined
  /** A data URL; null removes it. */
  logo?: string | null | undefined
  settings?:
    | (Some<Omit<TenantSettings, 'mcp'>> & {
        mcp?: Some<McpSettings> | undefined
        governance?: Some<GovernanceSettings> | undefined
      })
    | undefined
}

export type TenantState = { tenant: Tenant; governance: GovernanceSettings }

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
  // The group roles in force, which the item of the tenant only repeats.
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
      ...evidenceOf(ctx, next.tenant, { artifact_id, changes, policy_sets: governed.policy_sets }, under),
    ],
    ref: tenant.id,
    result: { tenant: { ...next.tenant, _v: tenant._v + 1 }, governance: next.governance, unchanged: false },
  }
}

type Evidence = { artifact_id: string; changes: AuditChange[]; policy_sets: SettingsChange['policy_sets'] }

function evidenceOf(ctx: Context, { id, name }: Tenant, { artifact_id, changes, policy_sets }: Evidence, under: Under) {
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

const SHARED = ['require_human_approver', 'allow_self_approval'] as const
const OWN = ['group_roles', ...SHARED, 'block_impossible_travel', 'mcp', 'evidence_retention_days'] as const

/** Throws 422 when one setting is given two values, a group the role owner, or when the logo is no image. */
export function afterChange(was: TenantState, { name, logo, settings = {} }: TenantChange): TenantState {
  const { governance: governed = {}, mcp = {}, ...direct } = settings
  const twice = SHARED.find(
    (one) => direct[one] !== undefined && governed[one] !== undefined && direct[one] !== governed[one],
  )
  if (twice)
    throw invalid(['settings', 'governance', twice], `This differs from settings.${twice}. Send one value for both.`)
  const owner = (direct.group_roles ?? []).findIndex(({ role }) => role === 'owner')
  if (owner >= 0)
    throw invalid(
      ['settings', 'group_roles', owner, 'role'],
      'A group cannot give the role owner. Choose another role.',
    )
  const shared = Object.fromEntries(SHARED.map((one) => [one, direct[one] === undefined ? governed[one] : direct[one]]))
  return {
    tenant: {
      ...was.tenant,
      ...given({ name }),
      ...(logo !== undefined && { logo: logo === null ? undefined : logoIn(logo) }),
      settings: {
        ...was.tenant.settings,
        ...given({ ...direct, ...shared }),
        mcp: { ...was.tenant.settings.mcp, ...given(mcp) },
      },
    },
    governance: { ...was.governance, ...given({ ...governed, ...shared }) },
  }
}

/** Every member that differs, by its path in the API. */
export const differencesBetween = (was: TenantState, next: TenantState): AuditChange[] => [
  ...differences(was.tenant, next.tenant, ['name', 'logo']),
  ...under('settings', differences(was.tenant.settings, next.tenant.settings, OWN)),
  ...under('settings.governance', governanceDifferences(was, next)),
]

const governanceDifferences = (was: TenantState, next: TenantState) =>
  differences(was.governance, next.governance, Object.keys(next.governance) as (keyof GovernanceSettings)[])

const under = (prefix: string, changes: readonly AuditChange[]): AuditChange[] =>
  changes.map((change) => ({ ...change, path: `${prefix}.${change.path}` }))

/** Only those settings of governance that differ. */
export const governanceChange = (was: TenantState, next: TenantState): Partial<GovernanceSettings> =>
  Object.fromEntries(governanceDifferences(was, next).map(({ path, after }) => [path, after]))

/**
 * The settings by which a change loosens, as they are called in the API. Those of the tenant are: what stops a sign-in from afar, and
 * which agents connect by MCP. Roles of groups have a guard of their own.
 */
function looseningBetween({ tenant: was, governance }: TenantState, next: TenantState): string[] {
  const { block_impossible_travel, mcp } = next.tenant.settings
  const before = was.settings.mcp
  const members: [string, boolean][] = [
    ['block_impossible_travel', was.settings.block_impossible_travel && !block_impossible_travel],
    ['mcp.enabled', mcp.enabled && !before.enabled],
    ['mcp.clients', mcp.clients === 'hosts' && before.clients === 'registered'],
    ['mcp.hosts', mcp.hosts.some((host) => !before.hosts.includes(host))],
  ]
  return [
    ...looseningOfSettings(governance, next.governance).map((name) => `governance.${name}`),
    ...members.flatMap(([name, loosens]) => (loosens ? [name] : [])),
  ]
}

/** Roles that groups newly give. */
export function newGroupRoles(was: TenantState, next: TenantState): string[] {
  const pair = ({ group, role }: TenantSettings['group_roles'][number]) => JSON.stringify([group, role])
  const known = new Set(was.tenant.settings.group_roles.map(pair))
  return next.tenant.settings.group_roles.filter((one) => !known.has(pair(one))).map(({ role }) => role)
}
