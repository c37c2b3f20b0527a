import { describe, expect, test } from 'vitest'
import type { Attribute } from '../../../../shared/identity/scim/filter/attribute.ts'
import { SCHEMAS } from '../../../../shared/identity/scim/resource-type.ts'

const [user, group, enterprise] = SCHEMAS
const namesOf = (attributes: readonly Attribute[] = []) => attributes.map(({ name }) => name)
const all = (attributes: readonly Attribute[]): Attribute[] =>
  attributes.flatMap((one) => [one, ...all(one.subAttributes ?? [])])

describe('the schema documents', () => {
  test('have the attributes of RFC 7643 section 8.7, in its order', () => {
    expect(namesOf(user?.attributes).join(' ')).toBe(
      'userName name displayName nickName profileUrl title userType preferredLanguage locale timezone active password ' +
        'emails phoneNumbers ims photos addresses groups entitlements roles x509Certificates',
    )
    expect(namesOf(group?.attributes)).toEqual(['displayName', 'members'])
    expect(namesOf(enterprise?.attributes).join(' ')).toBe(
      'employeeNumber costCenter organization division department manager',
    )
  })

  test.each(SCHEMAS.map((schema) => [schema.name, schema] as const))('%s gives every characteristic', (_, schema) => {
    for (const attribute of all(schema.attributes)) {
      expect(attribute, attribute.name).toMatchObject({
        type: expect.any(String),
        multiValued: expect.any(Boolean),
        description: expect.stringMatching(/\.$/),
        required: expect.any(Boolean),
        mutability: expect.stringMatching(/^(readOnly|readWrite|immutable|writeOnly)$/),
        returned: expect.stringMatching(/^(always|never|default|request)$/),
      })
      expect('caseExact' in attribute, attribute.name).toBe(!['boolean', 'complex'].includes(attribute.type))
      expect(attribute.subAttributes !== undefined, attribute.name).toBe(attribute.type === 'complex')
    }
  })

  test('require a user name, unique without regard to case, and a name of groups', () => {
    expect(user?.attributes[0]).toMatchObject({ required: true, caseExact: false, uniqueness: 'server' })
    expect(group?.attributes[0]).toMatchObject({ name: 'displayName', required: true })
  })

  test('never show a password, and leave groups to the groups', () => {
    expect(user?.attributes.find(({ name }) => name === 'password')).toMatchObject({
      mutability: 'writeOnly',
      returned: 'never',
    })
    expect(user?.attributes.find(({ name }) => name === 'groups')).toMatchObject({ mutability: 'readOnly' })
  })
})
