import { describe, expect, test } from 'vitest'
import { typedFilter } from '../../../../shared/identity/scim/filter/filter.ts'
import { matches } from '../../../../shared/identity/scim/filter/matches.ts'
import { GROUP, USER } from '../../../../shared/identity/scim/resource-type.ts'
import { refusalOf } from './refusals.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const anna = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
  id: '2819c223',
  externalId: 'Anna-1',
  userName: 'Anna@Example.com',
  name: { givenName: 'Anna', familyName: "O'Berg" },
  title: 'back\\slash "quoted" ü',
  nickName: '',
  active: true,
  emails: [
    { value: 'anna@example.com', type: 'work', primary: true },
    { value: 'anna@home.example', type: 'home' },
  ],
  [ENTERPRISE]: {
    employeeNumber: '701984',
    department: 'Sales',
    manager: { value: '26118915', $ref: '../Users/26118915' },
  },
  meta: { resourceType: 'User', created: '2026-01-02T03:04:05.000Z', lastModified: '2026-05-13T04:42:34.000Z' },
}

const holds = (filter: string) => matches(typedFilter(USER, filter), anna)

describe('a filter of RFC 7644 section 3.4.2.2', () => {
  test.each([
    'userName eq "anna@example.com"',
    'USERNAME EQ "ANNA@EXAMPLE.COM"',
    'userName sw "ANNA"',
    'userName ew ".com"',
    'userName co "@"',
    'name.familyName co "O\'Berg"',
    'title pr',
    'title eq "back\\\\slash \\"quoted\\" \\u00fc"',
    'meta.lastModified gt "2026-05-13T04:42:33Z"',
    'meta.lastModified ge "2026-05-13T06:42:34.000+02:00"',
    'meta.created eq "2026-01-02T03:04:05Z"',
    'id eq "2819c223" and manager eq "26118915"',
    'department eq "sales"',
    'meta.lastModified sw "2026-05"',
    'title pr and active eq true',
    'title pr or nickName pr',
    'schemas eq "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"',
    'active eq true and (emails co "example.com" or emails.value co "example.org")',
    'active ne false and not (emails co "nowhere")',
    'emails[type eq "work" and value co "@example.com"]',
    'emails[type eq "home"].value eq "anna@home.example"',
    'emails[type eq "work" or type eq "other"].value sw "anna"',
    'emails[type eq "WORK" and primary eq "True"]',
    'active eq "True"',
    `${ENTERPRISE}:department eq "sales"`,
    `${ENTERPRISE}:manager eq "26118915"`,
    `${ENTERPRISE}:manager.$ref ew "26118915"`,
    `${ENTERPRISE}:employeeNumber eq 701984`,
    'urn:ietf:params:scim:schemas:core:2.0:User:userName sw "anna"',
    'profileUrl eq null',
    'userName ne null',
    'profileUrl ne "x"',
    'externalId eq "Anna-1"',
    'userName gt "a" and userName lt "b"',
    'userName pr and title eq "x" or active eq true',
    'not (title eq "x" and active eq true)',
  ])('%s holds', (filter) => {
    expect(holds(filter)).toBe(true)
  })

  test.each([
    ['a value of another element', 'emails[type eq "work"].value eq "anna@home.example"'],
    ['an empty text as a present one', 'nickName pr'],
    ['what is absent', 'profileUrl pr'],
    ['externalId without regard to case', 'externalId eq "anna-1"'],
    ['id without regard to case', 'id eq "2819C223"'],
    ['two parts of different elements', 'emails[type eq "home" and primary eq true]'],
    ['an earlier instant as a later one', 'meta.lastModified gt "2026-05-13T06:42:34.000+02:00"'],
    ['a conjunction with one false part', 'title pr and nickName pr'],
    ['a text in the wrong place', 'userName sw "example"'],
    ['a wrong boolean', 'active eq false'],
  ])('does not take %s', (_, filter) => {
    expect(holds(filter)).toBe(false)
  })

  test.each([
    ['an unquoted string', 'userName eq anna'],
    ['single quotes', "userName eq 'anna'"],
    ['an unknown attribute', 'shoeSize eq 4'],
    ['an unknown part', 'name.shoeSize eq "4"'],
    ['an attribute of the other type', 'members eq "1"'],
    ['the password', 'password eq "secret"'],
    ['the password by its URN', 'urn:ietf:params:scim:schemas:core:2.0:User:password sw "s"'],
    ['an unknown operator', 'userName is "anna"'],
    ['no operator', 'userName'],
    ['no value', 'userName eq'],
    ['an open bracket', '(userName pr'],
    ['an open string', 'userName eq "anna'],
    ['trailing words', 'userName pr userName'],
    ['a complex attribute without a value', 'name eq "Anna"'],
    ['an order of booleans', 'active gt true'],
    ['a part of a boolean', 'active co "t"'],
    ['a text that is no boolean', 'active eq "maybe"'],
    ['an instant that is none', 'meta.created gt "yesterday"'],
    ['an order with null', 'title gt null'],
    ['brackets on a plain attribute', 'title[value eq "x"]'],
    ['an unknown name in brackets', 'emails[shoeSize eq 4]'],
    ['nothing at all', ' '],
    ['more than 2,000 characters', `userName eq "${'x'.repeat(2_000)}"`],
    ['an open string of line breaks', `userName eq "${'\n'.repeat(200)}`],
    ['two thousand brackets', '('.repeat(2_000)],
  ])('with %s is refused', (_, filter) => {
    expect(refusalOf(() => typedFilter(USER, filter))).toBe('400 invalidFilter')
  })

  test('compares members of a group by their ids', () => {
    const group = { displayName: 'Sales', members: [{ value: 'u1' }, { value: 'u2' }] }

    expect(matches(typedFilter(GROUP, 'id pr or members eq "u2"'), group)).toBe(true)
    expect(matches(typedFilter(GROUP, 'members[value eq "u3"]'), group)).toBe(false)
  })
})
