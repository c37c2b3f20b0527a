import { describe, expect, test } from 'vitest'
import {
  rolesAfterSignIn,
  rolesOfNewPerson,
  type RoleRules,
  rolesStillGiven,
} from '../../../../shared/identity/sso/roles.ts'
import { groupsIn, groupsOf } from '../../../../shared/identity/sso/oidc/attributes.ts'

const rules: RoleRules = {
  default_roles: ['member'],
  group_attribute: 'groups',
  role_mappings: [
    { group: 'Approvers', role_ids: ['approver', 'auditor'] },
    { group: 'Audit', role_ids: ['auditor'] },
  ],
  roles_authoritative: false,
}
const authoritative = { ...rules, roles_authoritative: true }

describe('the roles after a sign-in', () => {
  test('are those given by hand and those of all groups, each once', () => {
    const after = rolesAfterSignIn(rules, ['Audit', 'Approvers', 'Other'], ['member'])

    expect(after).toEqual({ roles: ['member'], sso_roles: ['approver', 'auditor'] })
  })

  test('compare groups exactly', () => {
    expect(rolesAfterSignIn(rules, ['approvers', 'Audit '], []).sso_roles).toEqual([])
  })

  test('are none of the groups where the provider names none, or no attribute is configured', () => {
    const { group_attribute: _, ...without } = rules

    expect(rolesAfterSignIn(rules, [], ['member']).sso_roles).toEqual([])
    expect(rolesAfterSignIn(without, ['Audit'], ['member'])).toEqual({ roles: ['member'], sso_roles: [] })
  })

  test('are those of the groups alone where these are authoritative, and the role owner stays', () => {
    expect(rolesAfterSignIn(authoritative, ['Audit'], ['admin', 'owner'])).toEqual({
      roles: ['owner'],
      sso_roles: ['auditor'],
    })
    expect(rolesAfterSignIn(authoritative, ['Other'], ['admin'])).toEqual({ roles: [], sso_roles: ['member'] })
  })

  test('never become owner, even by the stored mapping', () => {
    const forged = { ...authoritative, default_roles: ['owner'], role_mappings: [{ group: 'X', role_ids: ['owner'] }] }

    expect(rolesAfterSignIn(forged, ['X'], ['member'])).toEqual({ roles: [], sso_roles: [] })
    expect(rolesOfNewPerson({ ...forged, roles_authoritative: false }, ['X'])).toEqual({ roles: [], sso_roles: [] })
  })

  test('of a new person are the default roles and those of the groups, or those of the groups alone', () => {
    expect(rolesOfNewPerson(rules, ['Audit'])).toEqual({ roles: ['member'], sso_roles: ['auditor'] })
    expect(rolesOfNewPerson(authoritative, ['Audit'])).toEqual({ roles: [], sso_roles: ['auditor'] })
    expect(rolesOfNewPerson(authoritative, [])).toEqual({ roles: [], sso_roles: ['member'] })
  })
})

test('after a change of the configuration only roles stay that it still gives to some group', () => {
  const held = ['approver', 'auditor', 'member']

  expect(rolesStillGiven({ ...rules, enabled: true }, held)).toEqual(['approver', 'auditor'])
  expect(rolesStillGiven({ ...authoritative, enabled: true }, held)).toEqual(held)
  expect(rolesStillGiven({ ...rules, enabled: false }, held)).toEqual([])
  expect(rolesStillGiven(undefined, held)).toEqual([])
})

test('groups are texts: of a list, or a single one', () => {
  expect(groupsOf(['a', ' a ', 7, null, '', { name: 'b' }, 'x'.repeat(257)])).toEqual(['a'])
  expect(groupsOf('a')).toEqual(['a'])
  expect(groupsOf(undefined)).toEqual([])
  expect(groupsIn('groups', new Map([['groups', ['a', 'b']]]))).toEqual(['a', 'b'])
  expect(groupsIn(undefined, new Map([['groups', ['a']]]))).toEqual([])
})
