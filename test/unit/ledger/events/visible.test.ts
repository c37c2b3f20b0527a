import { describe, expect, test } from 'vitest'
import type { Permission } from '../../../../shared/base/catalog/permissions.ts'
import { permissionsOfRoles, permissionsOfScopes, type Scope } from '../../../../shared/base/catalog/permissions.ts'
import type { Principal } from '../../../../shared/base/context.ts'
import { CATALOG, EVENT_TYPES } from '../../../../shared/base/catalog/event-types.ts'
import { readableTypes } from '../../../../shared/ledger/events/pull.ts'

const principal = (kind: Principal['kind'], permissions: ReadonlySet<Permission>): Principal => ({
  kind,
  id: 'p',
  credential: kind === 'user' ? 'session' : 'api_key',
  permissions,
  roles: [],
  persons: [],
})
const key = (...scopes: Scope[]) => principal('api_key', permissionsOfScopes(scopes))
const person = (...roles: string[]) => principal('user', permissionsOfRoles(roles))

const open = ['governance', 'agent', 'evidence', 'compliance', 'protocol']
const openTypes = EVENT_TYPES.filter((type) => open.includes(CATALOG[type].category))
const visibleTo = (reader: Principal) => EVENT_TYPES.filter(readableTypes(reader))

describe('a reader of executions', () => {
  test.each([
    ['key', key('governance:read')],
    ['key that may also read evidence', key('governance:read', 'evidence:read')],
    ['member', person('member')],
  ])('%s sees what agents did, and nothing of people, money and systems', (_, reader) => {
    expect(visibleTo(reader)).toEqual(openTypes)
    expect(openTypes).toContain('execution.undone')
  })

  test('is told when it names a type that it may not see', () => {
    expect(() => readableTypes(key('governance:read'), ['action.approved', 'user.login'])).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    )
  })

  test('may choose among those that it may see', () => {
    const reads = readableTypes(key('governance:read'), ['action.approved'])

    expect(EVENT_TYPES.filter(reads)).toEqual(['action.approved'])
  })
})

test.each([
  ['admin key', key('admin')],
  ['auditor', person('auditor')],
  ['owner', person('owner')],
])('%s sees everything', (_, reader) => {
  expect(visibleTo(reader)).toEqual(EVENT_TYPES)
})
