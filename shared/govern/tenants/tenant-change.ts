// Pure rules for changes of a tenant's name and settings. Two settings exist in the tenant and in its governance under the
// same name, and always have the same value.
import { given } from '../../base/lib/json.ts'
import type { AuditChange } from '../../ledger/audit/entry.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { logoIn } from '../../identity/logo/logo.ts'
import { looseningOfSettings } from '../governance/loosening.ts'
import type { GovernanceSettings } from '../governance/settings.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { McpSettings, Tenant, TenantSettings } from '../../base/tenant/tenant.ts'

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
export function looseningBetween({ tenant: was, governance }: TenantState, next: TenantState): string[] {
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
