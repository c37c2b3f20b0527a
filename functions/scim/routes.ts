import { area, del, get, NONE, patch, post, put, read } from '../../shared/base/wire/route.ts'

const common = {
  host: 'app',
  access: 'scim:write',
  rate: 'global',
  dialect: 'scim',
  idempotency: false, // SCIM uses conditions on versions instead
} as const

const searches = { ...common, whileUnverified: true, uses: [{ table: 'read' }], evidence: NONE } as const
const discovers = { ...common, anyKey: true, uses: [] } as const
const writes = { ...common, uses: [{ table: 'write' }] } as const

const user = { resource: 'directory user', timeoutSeconds: 20 } as const
/** The body of a group lists all its members. */
const group = { resource: 'directory group', timeoutSeconds: 28, bodyBytesMax: 5_242_880 } as const

/** Events when the access of a person ends. */
const DEPROVISIONING_EVENTS = [
  'user.deprovisioned',
  'action.rejected',
  'alert.firing',
  'compliance.framework.updated',
  'webhook.endpoint.disabled',
] as const

const changesUser = {
  ...writes,
  ...user,
  uses: [
    { table: 'write' },
    { seal: 'payload' },
    { leakedPasswords: true },
    {
      cognito: [
        'AdminSetUserPassword',
        'AdminUpdateUserAttributes',
        'AdminUserGlobalSignOut',
        'AdminDisableUser',
        'AdminEnableUser',
        'AdminDeleteUser',
      ],
    },
  ],
  evidence: [
    'identity.user.updated',
    'identity.user.deprovisioned',
    'identity.user.restored',
    'webhook.endpoint.updated',
  ],
  emits: ['user.updated', ...DEPROVISIONING_EVENTS],
} as const

const changesGroup = { ...writes, ...group, evidence: 'identity.group.updated', emits: ['user.updated'] } as const

const absent = { ...common, uses: [], evidence: { none: 'does nothing' } } as const
const noMe = { ...absent, summary: 'Answers 501, because an API key belongs to no directory user.' } as const

export const scim = area('scim', {
  listAll: read('/api/scim/v2', { ...common, ...user, summary: 'Searches users and groups.' }),
  searchAll: post('/api/scim/v2/.search', { ...searches, ...user, summary: 'Searches users and groups.' }),
  listUsers: read('/api/scim/v2/Users', { ...common, ...user, summary: 'Searches users.' }),
  searchUsers: post('/api/scim/v2/Users/.search', { ...searches, ...user, summary: 'Searches users.' }),
  createUser: post('/api/scim/v2/Users', {
    ...writes,
    ...user,
    uses: [
      { table: 'write' },
      { leakedPasswords: true },
      { cognito: ['AdminCreateUser', 'AdminGetUser', 'AdminSetUserPassword', 'AdminDisableUser'] },
    ],
    success: 201,
    evidence: 'identity.user.created',
    emits: ['user.created'],
    summary:
      'Creates a user. In live mode the user gets an account with the role member. Groups give more once the person has proven that it is theirs.',
  }),
  getUser: read('/api/scim/v2/Users/{id}', { ...common, ...user, summary: 'Shows a user.' }),
  replaceUser: put('/api/scim/v2/Users/{id}', {
    ...changesUser,
    summary: 'Replaces a user. `active: false` ends all access at once.',
  }),
  patchUser: patch('/api/scim/v2/Users/{id}', {
    ...changesUser,
    summary: 'Changes a user. `active: false` ends all access at once.',
  }),
  deleteUser: del('/api/scim/v2/Users/{id}', {
    ...writes,
    ...user,
    uses: [{ table: 'write' }, { seal: 'payload' }, { cognito: ['AdminDisableUser', 'AdminDeleteUser'] }],
    success: 204,
    evidence: [
      'identity.user.deprovisioned',
      'identity.oauth_client.deleted',
      'identity.credential.transferred',
      'webhook.endpoint.updated',
    ],
    emits: [...DEPROVISIONING_EVENTS, 'credential.transferred'],
    summary: 'Deletes a user.',
  }),
  listGroups: read('/api/scim/v2/Groups', { ...common, ...group, summary: 'Searches groups.' }),
  searchGroups: post('/api/scim/v2/Groups/.search', { ...searches, ...group, summary: 'Searches groups.' }),
  createGroup: post('/api/scim/v2/Groups', {
    ...writes,
    ...group,
    success: 201,
    evidence: 'identity.group.created',
    emits: ['user.updated'],
    summary:
      'Creates a group. Its members gain the roles that the tenant gives for it, once they have proven their accounts.',
  }),
  getGroup: read('/api/scim/v2/Groups/{id}', { ...common, ...group, summary: 'Shows a group.' }),
  replaceGroup: put('/api/scim/v2/Groups/{id}', { ...changesGroup, summary: 'Replaces a group and its members.' }),
  patchGroup: patch('/api/scim/v2/Groups/{id}', { ...changesGroup, summary: 'Changes a group or its members.' }),
  deleteGroup: del('/api/scim/v2/Groups/{id}', {
    ...writes,
    ...group,
    success: 204,
    evidence: 'identity.group.deleted',
    emits: ['user.updated'],
    summary: 'Deletes a group. Its members lose the roles that it gave.',
  }),
  serviceProviderConfig: read('/api/scim/v2/ServiceProviderConfig', {
    ...discovers,
    summary: 'Lists the supported features of SCIM 2.0. Any API key may call it.',
  }),
  listResourceTypes: read('/api/scim/v2/ResourceTypes', {
    ...discovers,
    summary: 'Lists the resource types. Any API key may call it.',
  }),
  getResourceType: read('/api/scim/v2/ResourceTypes/{id}', {
    ...discovers,
    resource: 'resource type',
    summary: 'Shows a resource type. Any API key may call it.',
  }),
  listSchemas: read('/api/scim/v2/Schemas', { ...discovers, summary: 'Lists the schemas. Any API key may call it.' }),
  getSchema: read('/api/scim/v2/Schemas/{id}', {
    ...discovers,
    resource: 'schema',
    summary: 'Shows a schema. Any API key may call it.',
  }),
  bulk: post('/api/scim/v2/Bulk', { ...absent, summary: 'Answers 501: bulk operations are not supported.' }),
  getMe: get('/api/scim/v2/Me', noMe),
  createMe: post('/api/scim/v2/Me', noMe),
  replaceMe: put('/api/scim/v2/Me', noMe),
  patchMe: patch('/api/scim/v2/Me', noMe),
  deleteMe: del('/api/scim/v2/Me', noMe),
})
