import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PERMISSIONS, type Permission, permissionsOfRoles } from '../../../../shared/base/catalog/permissions.ts'
import { permissionsGiven, permissionsOfUser } from '../../../../shared/identity/access/permissions.ts'
import { allRoles, dueAfter, ProofDue, stronger } from '../../../../shared/identity/accounts/user.ts'
import { runs } from '../../../support/runs.ts'

const dues = fc.constantFrom(...ProofDue.options)
const perhaps = fc.option(dues, { nil: undefined })

describe('what is due', () => {
  test('only grows by what a directory does, and each proof ends what is not stronger than itself', () => {
    fc.assert(
      fc.property(perhaps, dues, dues, (was, next, given) => {
        const due = stronger(was, next)
        expect(dueAfter(due, 'provider')).toBeUndefined()
        expect(dueAfter(was, given) ?? due).toBe(dueAfter(was, given) === undefined ? due : was)
        if (was !== undefined) expect(stronger(due, was)).toBe(due)
      }),
      runs(200),
    )
  })

  test.each([
    ['address', 'address', undefined],
    ['address', 'password', undefined],
    ['password', 'address', 'password'],
    ['password', 'password', undefined],
    ['provider', 'address', 'provider'],
    ['provider', 'password', 'provider'],
    ['provider', 'provider', undefined],
  ] as const)('%s, after the proof %s: %s', (due, given, left) => {
    expect(dueAfter(due, given)).toBe(left)
  })
})

const MEMBER = permissionsOfRoles(['member'])
const roles = fc.array(
  fc.constantFrom('owner', 'admin', 'approver', 'developer', 'member', 'auditor', 'billing', 'own'),
)
const permissions = fc.array(fc.constantFrom(...(Object.keys(PERMISSIONS) as Permission[])))

test('while a proof is due, nobody may do more than a member, nor more than they were given', () => {
  const people = fc.record({
    roles,
    group_roles: roles,
    sso_roles: roles,
    grants: permissions,
    denies: permissions,
    proof_due: dues,
  })
  fc.assert(
    fc.property(people, permissions, (person, own) => {
      const custom = [
        { tenant_id: 'ten_1', name: 'own', description: '', permissions: own, created_at: '', updated_at: '' },
      ]
      const held = permissionsOfUser(person, custom)

      expect(held.isSubsetOf(MEMBER)).toBe(true)
      expect(held.isSubsetOf(permissionsGiven(person, custom))).toBe(true)
      expect(allRoles(person).every((role) => role === 'member')).toBe(true)
      const proven = { ...person, proof_due: undefined }
      expect(permissionsOfUser(proven, custom)).toEqual(permissionsGiven(person, custom))
    }),
    runs(200),
  )
})
