import { describe, expect, test } from 'vitest'
import { normalise } from '../../../../shared/identity/scim/patch/normalise.ts'
import { GROUP, USER } from '../../../../shared/identity/scim/resource-type.ts'
import { refusalOf } from './refusals.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const user = (body: object) => normalise(USER, { userName: 'anna', ...body })

describe('names', () => {
  test('are read in any case and written in schema case', () => {
    const body = { USERNAME: 'anna', Name: { GivenName: 'Anna' }, EMAILS: [{ VALUE: 'a@b.example', Type: 'work' }] }

    expect(normalise(USER, body)).toEqual({
      userName: 'anna',
      name: { givenName: 'Anna' },
      emails: [{ value: 'a@b.example', type: 'work' }],
    })
  })

  test('may carry the URN of their schema', () => {
    expect(user({ [ENTERPRISE.toUpperCase()]: { DEPARTMENT: 'Sales' } })).toMatchObject({
      [ENTERPRISE]: { department: 'Sales' },
    })
    expect(user({ [`${ENTERPRISE}:department`]: 'Sales' })).toMatchObject({ [ENTERPRISE]: { department: 'Sales' } })
    expect(user({ 'urn:ietf:params:scim:schemas:core:2.0:User:title': 'Chief' })).toMatchObject({ title: 'Chief' })
  })

  test('that are unknown or read-only are ignored', () => {
    const echoed = { id: 'x', meta: { created: 'y' }, groups: [{ value: 'z' }], schemas: ['s'], favouriteColour: 'red' }

    expect(user(echoed)).toEqual({ userName: 'anna' })
    expect(user({ [ENTERPRISE]: { manager: { value: '1', displayName: 'Bo' }, shoeSize: 4 } })).toEqual({
      userName: 'anna',
      [ENTERPRISE]: { manager: { value: '1' } },
    })
  })
})

describe('values', () => {
  test.each([
    ['"True" for a boolean', { active: 'True' }, { active: true }],
    ['"FALSE" for a boolean', { active: 'FALSE' }, { active: false }],
    ['a number for a string', { title: 7 }, { title: '7' }],
    ['a boolean for a string', { nickName: true }, { nickName: 'true' }],
    [
      'a string for a complex value',
      { [ENTERPRISE]: { manager: '42' } },
      { [ENTERPRISE]: { manager: { value: '42' } } },
    ],
    ['a string for an element', { emails: ['a@b.example'] }, { emails: [{ value: 'a@b.example' }] }],
    ['null', { title: null, name: null, emails: null }, {}],
    ['an empty list', { roles: [], emails: [] }, {}],
    ['an empty object', { name: {}, [ENTERPRISE]: {} }, {}],
    ['a part that is null', { name: { givenName: null, familyName: 'Berg' } }, { name: { familyName: 'Berg' } }],
    ['an empty text', { title: '' }, { title: '' }],
  ])('%s is understood', (_, body, expected) => {
    expect(user(body)).toEqual({ userName: 'anna', ...expected })
  })

  test('at most one value is primary: the last', () => {
    const emails = [
      { value: 'a@b.example', primary: true },
      { value: 'c@d.example', primary: 'True' },
    ]

    expect(user({ emails }).emails).toEqual([
      { value: 'a@b.example', primary: false },
      { value: 'c@d.example', primary: true },
    ])
  })

  test('duplicates are dropped, in any order of their parts', () => {
    const emails = [
      { value: 'a@b.example', type: 'work' },
      { type: 'work', value: 'a@b.example' },
    ]

    expect(user({ emails }).emails).toEqual([{ type: 'work', value: 'a@b.example' }])
  })

  test.each([
    ['one object for a list', { emails: { value: 'a@b.example' } }, { emails: [{ value: 'a@b.example' }] }],
    ['one text for a list', { emails: 'a@b.example' }, { emails: [{ value: 'a@b.example' }] }],
    ['a list of one for a text', { title: ['Chief'] }, { title: 'Chief' }],
    ['a list of one object for a text', { title: [{ $ref: null, value: 'Chief' }] }, { title: 'Chief' }],
    ['a list of one for a boolean', { active: ['True'] }, { active: true }],
    ['a list of one for a complex value', { name: [{ givenName: 'Anna' }] }, { name: { givenName: 'Anna' } }],
    ['a list of one for a part', { name: { givenName: ['Anna'] } }, { name: { givenName: 'Anna' } }],
    ['a list of one for an extension', { [ENTERPRISE]: [{ division: 'N' }] }, { [ENTERPRISE]: { division: 'N' } }],
    ['an empty list for a text', { title: [] }, {}],
    ['an empty manager', { [ENTERPRISE]: { manager: '' } }, {}],
    ['a manager with an empty id', { [ENTERPRISE]: { manager: { value: '', $ref: '../Users/' } } }, {}],
  ])('%s is read as what it means', (_, body, expected) => {
    const { userName: __, ...read } = user(body)
    expect(read).toEqual(expected)
  })

  test.each([
    ['a list of two for one value', { title: ['Chief', 'Deputy'] }],
    ['a list of two for a complex value', { name: [{ givenName: 'Anna' }, { givenName: 'Anne' }] }],
    ['an object for a string', { title: { value: 'Chief' } }],
    ['a string for a value without `value`', { name: 'Anna' }],
    ['any other text for a boolean', { active: 'yes' }],
    ['a number for a boolean', { active: 1 }],
    ['a string for an extension', { [ENTERPRISE]: 'Sales' }],
    ['a blank user name', { userName: ' ' }],
    ['no user name', { userName: null }],
  ])('%s is refused', (_, body) => {
    expect(refusalOf(() => user(body))).toBe('400 invalidValue')
  })

  test('a group needs a name', () => {
    expect(refusalOf(() => normalise(GROUP, { members: [] }))).toBe('400 invalidValue')
    expect(refusalOf(() => normalise(GROUP, { displayName: '' }))).toBe('400 invalidValue')
  })
})
