import { describe, expect, test } from 'vitest'
import { readOperations } from '../../../../shared/identity/scim/patch/operations.ts'
import { applyPatch } from '../../../../shared/identity/scim/patch/patch.ts'
import { USER } from '../../../../shared/identity/scim/resource-type.ts'
import { ENTERPRISE, entra, okta, patchBody } from './clients.ts'
import { refusalOf } from './refusals.ts'

const anna = {
  userName: 'anna',
  active: true,
  title: 'Chief',
  name: { givenName: 'Anna', familyName: 'Berg' },
  emails: [
    { value: 'anna@work.example', type: 'work', primary: true },
    { value: 'anna@home.example', type: 'home' },
  ],
  [ENTERPRISE]: { department: 'Sales', division: 'North' },
}

const patch = (body: object, resource: object = anna) =>
  applyPatch(USER, { ...resource }, readOperations(USER, { ...body }))
const one = (operation: object, resource: object = anna) => patch(patchBody(operation), resource)
const refusal = (...operations: object[]) => refusalOf(() => patch(patchBody(...operations)))

describe('what Okta sends', () => {
  test('deactivates without a path', () => {
    expect(patch(okta.deactivate)).toEqual({ ...anna, active: false })
  })

  test('sets a password by path', () => {
    expect(patch(okta.password('correct horse'))).toEqual({ ...anna, password: 'correct horse' })
  })
})

describe('what Entra sends', () => {
  test('capitalised operations and "False"', () => {
    expect(patch(entra.disable)).toEqual({ ...anna, active: false })
    expect(patch(entra.disableCompliant)).toEqual({ ...anna, active: false })
    expect(patch(entra.addText)).toEqual({ ...anna, nickName: 'Babs' })
  })

  test('many paths at once, to values that may not be there yet', () => {
    expect(patch(entra.manyPaths('new@work.example'))).toEqual({
      ...anna,
      displayName: 'Pvlo',
      emails: [{ value: 'new@work.example', type: 'work', primary: true }, anna.emails[1]],
      phoneNumbers: [{ type: 'mobile', value: '+1 425 555 0100' }],
      addresses: [{ type: 'work', country: 'NO' }],
      name: { givenName: 'Gtfd', familyName: 'Pkqf' },
      externalId: 'Eqpj',
      [ENTERPRISE]: {
        ...anna[ENTERPRISE],
        employeeNumber: 'Eqpj',
        manager: { value: '26118915-6090-4610-87e4-49d8ca9f808d' },
      },
    })
  })

  test('paths as keys of a value', () => {
    expect(patch(entra.manyPathsCompliant('new@work.example'), { userName: 'anna' })).toEqual({
      userName: 'anna',
      displayName: 'Bjfe',
      emails: [{ type: 'work', value: 'new@work.example' }],
      name: { givenName: 'Kkom', familyName: 'Unua' },
      [ENTERPRISE]: { employeeNumber: 'Aklq' },
    })
  })
})

describe('a path', () => {
  test.each<[string, object, object]>([
    ['replaces a plain value', { op: 'replace', path: 'title', value: 'Head' }, { title: 'Head' }],
    ['is read in any case', { OP: 'REPLACE', Path: 'TITLE', Value: 'Head' }, { title: 'Head' }],
    [
      'adds to a complex value',
      { op: 'add', path: 'name', value: { middleName: 'M' } },
      { name: { ...anna.name, middleName: 'M' } },
    ],
    [
      'replaces only the parts named',
      { op: 'replace', path: 'name', value: { givenName: 'Ann' } },
      { name: { givenName: 'Ann', familyName: 'Berg' } },
    ],
    ['removes a part', { op: 'remove', path: 'name.givenName' }, { name: { familyName: 'Berg' } }],
    ['removes an attribute', { op: 'remove', path: 'title' }, { title: undefined }],
    ['removes by null', { op: 'replace', path: 'title', value: null }, { title: undefined }],
    ['removes by an empty list', { op: 'replace', path: 'emails', value: [] }, { emails: undefined }],
    ['adds nothing by an empty list', { op: 'add', path: 'emails', value: [] }, {}],
    ['removes what is not there', { op: 'remove', path: 'nickName' }, {}],
    [
      'adds a value to a list',
      { op: 'add', path: 'emails', value: [{ value: 'x@y.example' }] },
      { emails: [...anna.emails, { value: 'x@y.example' }] },
    ],
    [
      'takes one object for a list',
      { op: 'add', path: 'emails', value: { value: 'x@y.example' } },
      { emails: [...anna.emails, { value: 'x@y.example' }] },
    ],
    [
      'leaves a primary value that is there already as it is',
      { op: 'add', path: 'emails', value: [{ primary: true, value: 'anna@work.example', type: 'work' }] },
      {},
    ],
    ['drops duplicates', { op: 'add', path: 'emails', value: [{ type: 'home', value: 'anna@home.example' }] }, {}],
    [
      'replaces a list',
      { op: 'replace', path: 'emails', value: [{ value: 'x@y.example' }] },
      { emails: [{ value: 'x@y.example' }] },
    ],
    [
      'removes the values that are listed',
      { op: 'remove', path: 'emails', value: [{ value: 'anna@home.example' }] },
      { emails: [anna.emails[0]] },
    ],
    ['removes what a filter finds', { op: 'remove', path: 'emails[type eq "home"]' }, { emails: [anna.emails[0]] }],
    ['removes nothing where a filter finds nothing', { op: 'remove', path: 'emails[type eq "other"]' }, {}],
    [
      'removes a part of what a filter finds',
      { op: 'remove', path: 'emails[type eq "home"].type' },
      { emails: [anna.emails[0], { value: 'anna@home.example' }] },
    ],
    [
      'reads "True" in a filter',
      { op: 'replace', path: 'emails[primary eq "True"].value', value: 'x@y.example' },
      { emails: [{ ...anna.emails[0], value: 'x@y.example' }, anna.emails[1]] },
    ],
    [
      'changes what a filter with punctuation finds',
      { op: 'replace', path: 'emails[value eq "anna@home.example"].type', value: 'a:b.c]' },
      { emails: [anna.emails[0], { value: 'anna@home.example', type: 'a:b.c]' }] },
    ],
    [
      'replaces a whole element, which goes on meeting the filter',
      { op: 'replace', path: 'emails[type eq "work"]', value: { value: 'x@y.example' } },
      { emails: [{ type: 'work', value: 'x@y.example' }, anna.emails[1]] },
    ],
    [
      'adds the element that its filter describes',
      { op: 'replace', path: 'phoneNumbers[type eq "fax" and primary eq "true"].value', value: '1' },
      { phoneNumbers: [{ type: 'fax', primary: true, value: '1' }] },
    ],
    [
      'changes a part of every value',
      { op: 'replace', path: 'emails.type', value: 'other' },
      { emails: anna.emails.map((email) => ({ ...email, type: 'other' })) },
    ],
    [
      'leaves one value primary',
      { op: 'replace', path: 'emails[type eq "home"].primary', value: 'True' },
      {
        emails: [
          { ...anna.emails[0], primary: false },
          { ...anna.emails[1], primary: true },
        ],
      },
    ],
    [
      'may be a full URN',
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:name.givenName', value: 'Ann' },
      { name: { givenName: 'Ann', familyName: 'Berg' } },
    ],
    [
      'reaches into an extension',
      { op: 'replace', path: `${ENTERPRISE}:department`, value: 'Legal' },
      { [ENTERPRISE]: { department: 'Legal', division: 'North' } },
    ],
    [
      'replaces a whole extension',
      { op: 'replace', path: ENTERPRISE, value: { department: 'Legal' } },
      { [ENTERPRISE]: { department: 'Legal' } },
    ],
    [
      'adds to a whole extension',
      { op: 'add', path: ENTERPRISE, value: { costCenter: '7' } },
      { [ENTERPRISE]: { ...anna[ENTERPRISE], costCenter: '7' } },
    ],
    ['removes a whole extension', { op: 'remove', path: ENTERPRISE }, { [ENTERPRISE]: undefined }],
    ['takes a number for a string', { op: 'replace', path: 'title', value: 7 }, { title: '7' }],
  ])('%s', (_, operation, change) => {
    expect(one(operation)).toEqual({ ...anna, ...change })
  })
})

describe('a removal of listed values', () => {
  test.each<[string, unknown, string[]]>([
    ['takes those', [{ value: 'anna@home.example', type: 'home' }], ['anna@work.example']],
    ['takes none for an empty list', [], ['anna@work.example', 'anna@home.example']],
    ['takes none for an empty value', [{}], ['anna@work.example', 'anna@home.example']],
  ])('%s', (_, value, left) => {
    const { emails } = one({ op: 'remove', path: 'emails', value })

    expect(emails).toMatchObject(left.map((address) => ({ value: address })))
  })

  test('takes all where there is no list', () => {
    expect(one({ op: 'remove', path: 'emails', value: null })).not.toHaveProperty('emails')
  })
})

describe('a value that becomes the primary one', () => {
  const [work, home] = anna.emails
  const homeIsPrimary = { ...anna, emails: [work, home].map((email) => ({ ...email, primary: email === home })) }

  test.each<[string, object]>([
    ['by its flag', { op: 'replace', path: 'emails[type eq "work"].primary', value: true }],
    ['by a text', { op: 'Replace', path: 'emails[type eq "work"].primary', value: 'True' }],
    ['by a part of it', { op: 'add', path: 'emails[type eq "work"]', value: { primary: true } }],
  ])('takes that from one behind it: %s', (_, operation) => {
    expect(one(operation, homeIsPrimary).emails).toEqual([
      { ...work, primary: true },
      { ...home, primary: false },
    ])
  })

  test('takes it at once, also if it changes later', () => {
    const next = patch(
      patchBody(
        { op: 'add', path: 'emails', value: [{ value: 'x@new.example', primary: true }] },
        { op: 'remove', path: 'emails[value eq "x@new.example"]' },
      ),
    )

    expect(next.emails).toEqual([{ ...work, primary: false }, home])
  })
})

describe('without a path', () => {
  test('keys may be paths, and a whole extension replaces that object', () => {
    const value = {
      'name.givenName': 'Ann',
      'emails[type eq "home"].value': 'x@y.example',
      [ENTERPRISE]: { department: 'IT' },
    }

    expect(one({ op: 'replace', value })).toEqual({
      ...anna,
      name: { givenName: 'Ann', familyName: 'Berg' },
      emails: [anna.emails[0], { value: 'x@y.example', type: 'home' }],
      [ENTERPRISE]: { department: 'IT' },
    })
  })

  test('read-only and unknown attributes are ignored', () => {
    const value = { id: 'x', schemas: ['y'], meta: {}, groups: [{ value: 'z' }], shoeSize: 4, title: 'Head' }

    expect(one({ op: 'replace', value })).toEqual({ ...anna, title: 'Head' })
  })

  test('a nested complex value changes only the parts named', () => {
    expect(one({ op: 'replace', value: { name: { familyName: 'Dal' } } })).toMatchObject({
      name: { givenName: 'Anna', familyName: 'Dal' },
    })
  })
})

describe('what directories mean', () => {
  const managed = { ...anna, [ENTERPRISE]: { division: 'North', manager: { value: 'boss', $ref: '../Users/boss' } } }
  const unmanaged = { ...anna, [ENTERPRISE]: { division: 'North' } }

  test.each([
    ['replace', `${ENTERPRISE}:manager`, ''],
    ['replace', `${ENTERPRISE}:manager`, null],
    ['replace', `${ENTERPRISE}:manager`, []],
    ['replace', `${ENTERPRISE}:manager`, { value: '' }],
    ['replace', `${ENTERPRISE}:manager`, [{ $ref: null, value: '' }]],
    ['replace', `${ENTERPRISE}:manager.value`, ''],
    ['replace', `${ENTERPRISE}:manager.value`, null],
    ['remove', `${ENTERPRISE}:manager.value`, undefined],
    ['remove', `${ENTERPRISE}:manager`, undefined],
  ])('%s %s with %j clears the reference', (op, path, value) => {
    expect(one({ op, path, value }, managed)).toEqual(unmanaged)
  })

  test('a list of one is its value, also in a path with a filter', () => {
    expect(one({ op: 'replace', path: 'active', value: [false] })).toEqual({ ...anna, active: false })
    expect(one({ op: 'replace', path: 'title', value: [{ $ref: null, value: 'Boss' }] })).toEqual({
      ...anna,
      title: 'Boss',
    })
    const path = 'emails[type eq "work"].value'
    expect(one({ op: 'replace', path, value: ['x@y.example'] })).toMatchObject({
      emails: [{ value: 'x@y.example', type: 'work' }, {}],
    })
  })

  test('an attribute of a schema that nobody has here does not keep out the other operations', () => {
    const other = 'urn:ietf:params:scim:schemas:extension:acme:2.0:User'
    const title = { op: 'replace', path: 'title', value: 'Boss' }
    const expected = { ...anna, title: 'Boss' }

    expect(patch(patchBody({ op: 'add', path: `${other}:badge`, value: '7' }, title))).toEqual(expected)
    expect(patch(patchBody({ op: 'remove', path: other }, title))).toEqual(expected)
    expect(one({ op: 'replace', value: { [other]: { badge: 7 }, [`${other}:badge`]: 7, title: 'Boss' } })).toEqual(
      expected,
    )
    expect(refusal({ op: 'add', path: `${ENTERPRISE}:badge`, value: '7' })).toBe('400 invalidPath')
  })
})

describe('what is refused', () => {
  test.each<[string, object]>([
    ['invalidSyntax', {}],
    ['invalidSyntax', { Operations: [] }],
    ['invalidSyntax', { Operations: {} }],
    ['invalidSyntax', { Operations: ['replace'] }],
    ['invalidSyntax', { Operations: [{ path: 'title', value: 'x' }] }],
    ['invalidSyntax', { Operations: [{ op: 'move', path: 'title' }] }],
    ['noTarget', { Operations: [{ op: 'remove' }] }],
    ['noTarget', { Operations: [{ op: 'Remove', value: { title: 'x' } }] }],
    ['noTarget', { Operations: [{ op: 'replace', path: 'emails[type sw "x"].value', value: 'y' }] }],
    ['invalidValue', { Operations: [{ op: 'add', path: 'title' }] }],
    ['invalidValue', { Operations: [{ op: 'replace', value: 'x' }] }],
    ['invalidValue', { Operations: [{ op: 'replace', path: 'active', value: 'perhaps' }] }],
    ['invalidValue', { Operations: [{ op: 'replace', path: 'userName', value: ' ' }] }],
    ['invalidPath', { Operations: [{ op: 'replace', path: 'shoeSize', value: 4 }] }],
    ['invalidPath', { Operations: [{ op: 'replace', path: 7, value: 4 }] }],
    ['invalidPath', { Operations: [{ op: 'replace', path: 'title[value eq "x"]', value: 'y' }] }],
    ['invalidFilter', { Operations: [{ op: 'replace', path: 'emails[type is "x"].value', value: 'y' }] }],
    ['mutability', { Operations: [{ op: 'replace', path: 'id', value: 'x' }] }],
    ['mutability', { Operations: [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }] }],
    ['mutability', { Operations: [{ op: 'remove', path: 'meta.created' }] }],
    ['mutability', { Operations: [{ op: 'replace', path: `${ENTERPRISE}:manager.displayName`, value: 'x' }] }],
    ['mutability', { Operations: [{ op: 'remove', path: 'userName' }] }],
    ['mutability', { Operations: [{ op: 'replace', path: 'userName', value: null }] }],
  ])('%s: %j', (scimType, body) => {
    expect(refusalOf(() => patch(body))).toBe(`400 ${scimType}`)
  })

  test('tooMany: operations that together look at more than a function has time for', () => {
    const long = { userName: 'long', emails: Array.from({ length: 1_500 }, (_, n) => ({ value: `${n}@x.example` })) }
    const operations = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        op: 'replace',
        path: `emails[value eq "${n}@x.example"].type`,
        value: 'home',
      }))

    expect(patch(patchBody(...operations(600)), long).emails).toHaveLength(1_500)
    expect(refusalOf(() => patch(patchBody(...operations(700)), long))).toBe('400 tooMany')
  })

  test('changes nothing, also after operations that succeed', () => {
    const before = structuredClone(anna)
    const emails = { op: 'replace', path: 'emails[type eq "work"].value', value: 'x@y.example' }

    expect(refusal(emails, { op: 'remove', path: 'userName' })).toBe('400 mutability')
    expect(anna).toEqual(before)
  })
})
