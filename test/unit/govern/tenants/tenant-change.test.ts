import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import {
  afterChange,
  differencesBetween,
  governanceChange,
  newGroupRoles,
  type TenantChange,
} from '../../../../shared/govern/tenants/tenant-change.ts'
import { Tenant } from '../../../../shared/base/tenant/tenant.ts'

const tenant = Tenant.parse({ id: 'ten_1', name: 'Acme', plan: 'team', status: 'active', created_at: '2026-11-20' })
const was = { tenant, governance: DEFAULT_SETTINGS }
const paths = (change: TenantChange) => differencesBetween(was, afterChange(was, change)).map(({ path }) => path)

describe('a change of a tenant', () => {
  test('of nothing changes nothing', () => {
    expect(paths({})).toEqual([])
    expect(paths({ name: 'Acme', settings: { governance: { bulk_limit: 50 } } })).toEqual([])
  })

  test('names each member that differs', () => {
    const change = { name: 'Acme Ltd', settings: { block_impossible_travel: true, governance: { trust_floor: 40 } } }

    expect(paths(change)).toEqual(['name', 'settings.block_impossible_travel', 'settings.governance.trust_floor'])
  })

  test.each(['require_human_approver', 'allow_self_approval'] as const)('%s has one value in both places', (name) => {
    for (const settings of [{ [name]: true }, { governance: { [name]: true } }]) {
      const next = afterChange(was, { settings })

      expect([next.tenant.settings[name], next.governance[name]]).toEqual([true, true])
      expect(governanceChange(was, next)).toEqual({ [name]: true })
    }
  })

  test('null takes back what was said in both places, from either of them', () => {
    const said = afterChange(was, { settings: { require_human_approver: false } })

    for (const settings of [{ require_human_approver: null }, { governance: { require_human_approver: null } }]) {
      const next = afterChange(said, { settings })

      expect([next.tenant.settings.require_human_approver, next.governance.require_human_approver]).toEqual([
        null,
        null,
      ])
      expect(governanceChange(said, next)).toEqual({ require_human_approver: null })
    }
  })

  test('that gives one setting two values is refused, the same value twice is not', () => {
    const twice = (here: boolean, there: boolean) => () =>
      afterChange(was, { settings: { allow_self_approval: here, governance: { allow_self_approval: there } } })

    expect(twice(true, false)).toThrow(expect.objectContaining({ kind: 'invalid' }))
    expect(twice(true, true)).not.toThrow()
  })

  test('gives no group the role owner', () => {
    const settings = { group_roles: [{ group: 'Bosses', role: 'owner' }] }

    expect(() => afterChange(was, { settings })).toThrow(expect.objectContaining({ kind: 'invalid' }))
  })

  test('gives only those group roles that are new', () => {
    const staff = { group: 'Staff', role: 'member' }
    const one = afterChange(was, { settings: { group_roles: [staff] } })
    const two = afterChange(one, { settings: { group_roles: [staff, { group: 'Ops', role: 'operator' }] } })

    expect(newGroupRoles(was, one)).toEqual(['member'])
    expect(newGroupRoles(one, two)).toEqual(['operator'])
  })
})
