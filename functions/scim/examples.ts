import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { scim } from './routes.ts'

const MESSAGE = 'urn:ietf:params:scim:api:messages:2.0'
const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
const MEMBER = { value: '5eb7d67a-d04d-4bf2-8daf-8899752a99bd' }

const search = { body: { schemas: [`${MESSAGE}:SearchRequest`], filter: 'userName eq "ada@acme.example"', count: 10 } }
const patchOf = (operation: object) => ({ schemas: [`${MESSAGE}:PatchOp`], Operations: [operation] })

const user = {
  schemas: [`${CORE}:User`],
  userName: 'ada@acme.example',
  externalId: '00u1a2b3c4',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@acme.example', primary: true }],
  active: true,
}

const group = { schemas: [`${CORE}:Group`], displayName: 'Approvers', members: [MEMBER] }

export const examples: Examples<typeof scim> = {
  searchAll: search,
  searchUsers: search,
  createUser: { body: user },
  replaceUser: { body: user },
  patchUser: { body: patchOf({ op: 'replace', path: 'active', value: false }) },
  searchGroups: { body: { schemas: [`${MESSAGE}:SearchRequest`], filter: 'displayName eq "Approvers"' } },
  createGroup: { body: group },
  replaceGroup: { body: group },
  patchGroup: { body: patchOf({ op: 'add', path: 'members', value: [MEMBER] }) },
  bulk: { body: { schemas: [`${MESSAGE}:BulkRequest`], Operations: [] } },
  createMe: { body: user },
  replaceMe: { body: user },
  patchMe: { body: patchOf({ op: 'replace', path: 'active', value: false }) },
}

export const variables: Variables<typeof scim> = {
  '/api/scim/v2/Users/{id}': ['Its id.', '5eb7d67a-d04d-4bf2-8daf-8899752a99bd'],
  '/api/scim/v2/Groups/{id}': ['Its id.', 'grp_01JD3Q8Z5NG4R6T8V0X2Z4B6D8'],
  '/api/scim/v2/ResourceTypes/{id}': ['Its id.', 'User'],
  '/api/scim/v2/Schemas/{id}': ['Its id.', 'urn:ietf:params:scim:schemas:core:2.0:User'],
}
