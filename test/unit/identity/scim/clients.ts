// What Okta and Entra send, by the requests in their published documentation (Okta: "SCIM 2.0 Protocol Reference"; Microsoft:
// "Develop a SCIM endpoint", "Known issues with SCIM 2.0 protocol compliance"), with names of our own.
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

export const patchBody = (...Operations: object[]) => ({ schemas: [PATCH_OP], Operations })

/** Of a domain of its own, since addresses are unique in a tenant. */
export const okta = {
  user: (userName: string) => ({
    schemas: [USER_SCHEMA],
    userName,
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq', // a placeholder that means nothing, says the documentation
    active: true,
  }),
  deactivate: patchBody({ op: 'replace', value: { active: false } }),
  activate: patchBody({ op: 'replace', value: { active: true } }),
  password: (value: string) => patchBody({ op: 'replace', path: 'password', value }),
  group: (displayName: string) => ({ schemas: [GROUP_SCHEMA], displayName, members: [] }),
  renameGroup: (id: string, displayName: string) => patchBody({ op: 'replace', value: { id, displayName } }),
  membership: (removed: string, added: string) =>
    patchBody(
      { op: 'remove', path: `members[value eq "${removed}"]` },
      { op: 'add', path: 'members', value: [{ value: added, display: 'test.user@okta.example' }] },
    ),
  fullMembership: (...ids: string[]) =>
    patchBody({ op: 'replace', path: 'members', value: ids.map((value) => ({ value, display: value })) }),
}

export const entra = {
  user: (userName: string, mail: string) => ({
    schemas: [USER_SCHEMA, ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName,
    active: true,
    emails: [{ primary: true, type: 'work', value: mail }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Adele Vance', familyName: 'Vance', givenName: 'Adele' },
    roles: [],
    title: '',
  }),
  disable: patchBody({ op: 'Replace', path: 'active', value: 'False' }),
  disableCompliant: patchBody({ op: 'replace', path: 'active', value: false }),
  addText: patchBody({ op: 'Add', path: 'nickName', value: 'Babs' }),
  manyPaths: (mail: string) =>
    patchBody(
      { op: 'Replace', path: 'displayName', value: 'Pvlo' },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: mail },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+1 425 555 0100' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'NO' },
      { op: 'Replace', path: 'name.givenName', value: 'Gtfd' },
      { op: 'Replace', path: 'name.familyName', value: 'Pkqf' },
      { op: 'Replace', path: 'externalId', value: 'Eqpj' },
      { op: 'Replace', path: `${ENTERPRISE}:employeeNumber`, value: 'Eqpj' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: '26118915-6090-4610-87e4-49d8ca9f808d' },
    ),
  /** With the flag `aadOptscim062020` on the address. */
  manyPathsCompliant: (mail: string) =>
    patchBody(
      { op: 'replace', path: 'emails[type eq "work"].value', value: mail },
      {
        op: 'replace',
        value: {
          displayName: 'Bjfe',
          'name.givenName': 'Kkom',
          'name.familyName': 'Unua',
          [`${ENTERPRISE}:employeeNumber`]: 'Aklq',
        },
      },
    ),
  group: (displayName: string) => ({
    schemas: [GROUP_SCHEMA, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName,
    meta: { resourceType: 'Group' },
  }),
  addMember: (value: string) => patchBody({ op: 'Add', path: 'members', value: [{ $ref: null, value }] }),
  removeMember: (value: string) => patchBody({ op: 'Remove', path: 'members', value: [{ $ref: null, value }] }),
  removeMemberCompliant: (value: string) => patchBody({ op: 'remove', path: `members[value eq "${value}"]` }),
}
