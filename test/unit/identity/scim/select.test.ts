import { describe, expect, test } from 'vitest'
import { GROUP, USER } from '../../../../shared/identity/scim/resource-type.ts'
import { select, type Selection, isSelected } from '../../../../shared/identity/scim/filter/select.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const always = { schemas: ['s'], id: '1' }
const anna = {
  ...always,
  userName: 'anna',
  name: { givenName: 'Anna', familyName: 'Berg' },
  emails: [{ value: 'a@b.example', type: 'work' }, { value: 'c@d.example' }],
  [ENTERPRISE]: { department: 'Sales', division: 'North' },
  meta: { version: 'W/"1"', created: 'then' },
}

describe('attributes', () => {
  test.each<[string[], object]>([
    [['userName'], { userName: 'anna' }],
    [['USERNAME', 'nothing'], { userName: 'anna' }],
    [['name.givenName'], { name: { givenName: 'Anna' } }],
    [['name.givenName', 'name.familyName'], { name: anna.name }],
    [['emails.value'], { emails: [{ value: 'a@b.example' }, { value: 'c@d.example' }] }],
    [['emails.value', 'emails.type'], { emails: anna.emails }],
    [[ENTERPRISE], { [ENTERPRISE]: anna[ENTERPRISE] }],
    [[`${ENTERPRISE}:department`], { [ENTERPRISE]: { department: 'Sales' } }],
    [[`${ENTERPRISE}:manager`], {}],
    [['meta.version'], { meta: { version: 'W/"1"' } }],
    [['id'], {}],
    [['urn:ietf:params:scim:schemas:core:2.0:User:userName'], { userName: 'anna' }],
  ])('%j show no more than that, id and schemas', (attributes, expected) => {
    expect(select(USER, { attributes }, anna)).toEqual({ ...always, ...expected })
  })

  test('of the whole core schema leave the extension out', () => {
    const shown = select(USER, { attributes: ['urn:ietf:params:scim:schemas:core:2.0:User'] }, anna)

    expect(Object.keys(shown).toSorted()).toEqual(['emails', 'id', 'name', 'schemas', 'userName'])
  })
})

describe('excludedAttributes', () => {
  test.each<[string[], object]>([
    [['emails', 'meta'], { ...anna, emails: undefined, meta: undefined }],
    [['id', 'schemas'], anna],
    [['name.givenName'], { ...anna, name: { familyName: 'Berg' } }],
    [['emails.type'], { ...anna, emails: [{ value: 'a@b.example' }, { value: 'c@d.example' }] }],
    [[`${ENTERPRISE}:department`], { ...anna, [ENTERPRISE]: { division: 'North' } }],
    [[ENTERPRISE.toLowerCase()], { ...anna, [ENTERPRISE]: undefined }],
    [['nothing'], anna],
  ])('%j are left out', (excludedAttributes, expected) => {
    expect(select(USER, { excludedAttributes }, anna)).toEqual(expected)
  })
})

test.each<[Selection, boolean]>([
  [{}, true],
  [{ excludedAttributes: ['Members'] }, false],
  [{ excludedAttributes: ['meta'] }, true],
  [{ attributes: ['displayName'] }, false],
  [{ attributes: ['members.value'] }, true],
])('%j shows members: %s', (selection, expected) => {
  expect(isSelected(GROUP, selection, 'members')).toBe(expected)
})
