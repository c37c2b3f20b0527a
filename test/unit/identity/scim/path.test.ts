import { describe, expect, test } from 'vitest'
import { readPath } from '../../../../shared/identity/scim/filter/select.ts'
import { GROUP, USER } from '../../../../shared/identity/scim/resource-type.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** `extension|attribute|filter|sub`, empty where there is none. */
const read = (text: string, type = USER) => {
  const path = readPath(type, text)
  return path && [path.extension, path.attribute?.name, path.filter, path.sub?.name].map((part) => part ?? '').join('|')
}

describe('a path', () => {
  test.each([
    ['userName', '|userName||'],
    ['USERNAME', '|userName||'],
    ['name.givenname', '|name||givenName'],
    ['emails[type eq "work"].value', '|emails|type eq "work"|value'],
    ['emails[type eq "a]b.c:d"].value', '|emails|type eq "a]b.c:d"|value'],
    ['emails[primary eq true]', '|emails|primary eq true|'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:name.familyName', '|name||familyName'],
    ['URN:IETF:PARAMS:SCIM:SCHEMAS:CORE:2.0:USER:username', '|userName||'],
    [ENTERPRISE, `${ENTERPRISE}|||`],
    [`${ENTERPRISE}:department`, `${ENTERPRISE}|department||`],
    [`${ENTERPRISE}:manager.value`, `${ENTERPRISE}|manager||value`],
    ['manager.$ref', undefined],
    ['meta.lastModified', '|meta||lastModified'],
    ['externalId', '|externalId||'],
  ])('%s is resolved by the schema', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  test.each([
    '',
    'nothing',
    'name.nothing',
    'name..x',
    'emails[',
    'constructor',
    '__proto__',
    'urn:x:nothing',
    'name.givenName.x',
  ])('%j names nothing', (text) => {
    expect(readPath(USER, text)).toBeUndefined()
  })

  test('belongs to one type', () => {
    expect(read('members[value eq "1"]', GROUP)).toBe('|members|value eq "1"|')
    expect(read('members')).toBeUndefined()
    expect(read(`${ENTERPRISE}:department`, GROUP)).toBeUndefined()
  })
})
