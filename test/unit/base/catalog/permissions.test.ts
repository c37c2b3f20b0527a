import { describe, expect, test } from 'vitest'
import {
  type Permission,
  PERMISSIONS,
  permissionsOfRoles,
  permissionsOfScopes,
  ROLES,
  SCOPES,
} from '../../../../shared/base/catalog/permissions.ts'

const ALL = Object.keys(PERMISSIONS) as Permission[]
const WITHOUT_SCOPE = ALL.filter((permission) => PERMISSIONS[permission].scope === null)

describe('scopes', () => {
  test('are the eight of the specification, and one for directories', () => {
    expect([...SCOPES].toSorted()).toEqual([
      'admin',
      'agent:execute',
      'diagnostic:read',
      'diagnostic:write',
      'evidence:read',
      'evidence:write',
      'governance:read',
      'governance:write',
      'scim',
    ])
  })

  test('admin gives everything that a key can have at all', () => {
    expect(permissionsOfScopes(['admin'])).toEqual(
      new Set(ALL.filter((permission) => !WITHOUT_SCOPE.includes(permission))),
    )
  })

  test('no scope lets a key make keys, act as a person or close a tenant', () => {
    expect(WITHOUT_SCOPE.toSorted()).toEqual(['apikeys:write', 'freezes:lift', 'self', 'tenant:delete'])
    expect(permissionsOfScopes(SCOPES).intersection(new Set(WITHOUT_SCOPE))).toEqual(new Set())
  })

  test('every other scope gives exactly the permissions of its rows', () => {
    for (const scope of SCOPES.filter((one) => one !== 'admin')) {
      expect([...permissionsOfScopes([scope])]).toEqual(
        ALL.filter((permission) => PERMISSIONS[permission].scope === scope),
      )
    }
    expect(permissionsOfScopes([])).toEqual(new Set())
  })

  test('reading scopes change nothing', () => {
    for (const permission of permissionsOfScopes(['governance:read', 'evidence:read', 'diagnostic:read'])) {
      // These read what is about to happen, what happened or what it costs; none of them decides or writes.
      expect(permission).toMatch(/:(read|evidence|usage|plans)$/)
    }
  })
})

describe('roles', () => {
  test('an owner holds everything but the key of SCIM', () => {
    expect(ALL.filter((permission) => !permissionsOfRoles(['owner']).has(permission))).toEqual(['scim:write'])
  })

  test('an admin holds all of it but closing the tenant, its key and its billing', () => {
    const owner = permissionsOfRoles(['owner'])

    expect([...owner.difference(permissionsOfRoles(['admin']))].toSorted()).toEqual([
      'billing:write',
      'tenant:delete',
      'tenant:kms',
    ])
  })

  test.each([
    ['approvals:decide', ['owner', 'admin', 'approver']],
    ['protocol:write', ['owner', 'admin', 'developer']],
    ['protocol:execute', ['owner', 'admin', 'developer', 'member']],
    ['policies:write', ['owner', 'admin']],
    ['audit:read', ['owner', 'admin', 'auditor']],
    ['billing:write', ['owner', 'billing']],
    ['apikeys:write', ['owner', 'admin', 'developer']],
  ] as const)('%s is held by %j and nobody else', (permission, holders) => {
    const held = Object.values(ROLES).filter((role) => permissionsOfRoles([role]).has(permission))

    expect(held).toEqual(holders)
  })

  test('an auditor changes nothing but evidence and compliance', () => {
    const writes = [...permissionsOfRoles(['auditor'])].filter((permission) =>
      /:(write|decide|execute|undo|run|apply|sync|replay)$/.test(permission),
    )

    expect(writes).toEqual(['evidence:write', 'compliance:write'])
  })

  test('several roles add up, and unknown ones give nothing', () => {
    expect(permissionsOfRoles(['member', 'billing'])).toEqual(
      permissionsOfRoles(['member']).union(permissionsOfRoles(['billing'])),
    )
    expect(permissionsOfRoles(['Owner', 'constructor', ''])).toEqual(new Set())
  })
})

test('there are 55 permissions, and every row names known roles', () => {
  expect(ALL).toHaveLength(55)
  for (const { roles } of Object.values(PERMISSIONS)) expect([...roles].every((letter) => letter in ROLES)).toBe(true)
})
