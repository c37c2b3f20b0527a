import { describe, expect, test } from 'vitest'
import { permissionsOfRoles, permissionsOfScopes, type RoleName } from '../../../../shared/base/catalog/permissions.ts'
import { type Actor, missingRank, type Rank } from '../../../../shared/identity/access/outrank.ts'

const rank = (role: RoleName): Rank => ({ isOwner: role === 'owner', permissions: permissionsOfRoles([role]) })
const person = (role: RoleName): Actor => ({ ...rank(role), isPerson: true })
const key = (role: RoleName): Actor => ({
  isPerson: false,
  isOwner: false,
  permissions: permissionsOfScopes(['admin']).intersection(permissionsOfRoles([role])),
})

describe('a person', () => {
  test('may do to others what these could do to themselves, and names what is lacking', () => {
    expect(missingRank(person('owner'), rank('owner'), 'take')).toEqual([])
    expect(missingRank(person('admin'), rank('developer'), 'take')).toEqual([])
    expect(missingRank(person('admin'), rank('billing'), 'end')).toEqual(['billing:write'])
    expect(missingRank(person('member'), rank('member'), 'end')).toEqual([])
  })

  test('changes an owner only as an owner, with every permission', () => {
    const almost = { ...person('owner'), isOwner: false }

    expect(missingRank(almost, rank('owner'), 'end')).toBe('owner')
    expect(missingRank(almost, { isOwner: true, permissions: new Set() }, 'end')).toBe('owner')
  })

  test('needs nothing to be above what everybody may do with their own account', () => {
    expect(
      missingRank(
        { ...person('member'), permissions: new Set() },
        { ...rank('member'), permissions: new Set(['self']) },
        'take',
      ),
    ).toEqual([])
  })
})

describe('a key', () => {
  test('never ranks as an owner', () => {
    expect(missingRank({ ...key('owner'), isOwner: true }, rank('owner'), 'end')).toBe('owner')
  })

  test('ends what may do more than keys can, and does not take it over', () => {
    expect(missingRank(key('admin'), rank('developer'), 'end')).toEqual([])
    expect(missingRank(key('admin'), rank('developer'), 'take')).toEqual(['apikeys:write'])
    expect(missingRank(key('admin'), rank('billing'), 'end')).toEqual(['billing:write'])
  })
})
