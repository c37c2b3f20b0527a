import { area, del, patch, post, put, read } from '../../shared/base/wire/route.ts'

const reads = { access: 'users:read', resource: 'user' } as const

const writes = { host: 'api', access: 'users:write', resource: 'user', rate: 'global' } as const

/** Evidence when a person's access ends, with their keys, sessions and open requests. */
const DEPROVISIONING = ['identity.user.deprovisioned', 'approval.cancelled', 'webhook.endpoint.updated'] as const
const EVENTS = [
  'user.deprovisioned',
  'action.rejected',
  'alert.firing',
  'compliance.framework.updated',
  'webhook.endpoint.disabled',
] as const
/** Evidence when a person is deleted: what they made ends, or stays with the tenant. */
const DELETION = [...DEPROVISIONING, 'identity.oauth_client.deleted', 'identity.credential.transferred'] as const

export const users = area('users', {
  list: read('/api/v1/users', { ...reads, summary: 'Lists the people of the tenant.' }),
  get: read('/api/v1/users/{id}', { ...reads, summary: 'Shows an account.' }),
  invite: post('/api/v1/users', {
    ...writes,
    uses: [{ table: 'write' }, { cognito: ['AdminCreateUser', 'AdminGetUser', 'AdminSetUserPassword'] }],
    evidence: 'identity.user.invited',
    emits: ['user.updated'],
    success: 201,
    summary:
      'Invites somebody by mail. An address that is invited already gets the mail again, other roles replace the former ones, and the answer is 200. Roles that may decide or administer are given in person.',
  }),
  update: patch('/api/v1/users/{id}', {
    ...writes,
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { cognito: ['AdminUpdateUserAttributes', 'AdminDisableUser', 'AdminEnableUser', 'AdminDeleteUser'] },
    ],
    evidence: ['identity.user.updated', 'identity.user.restored', ...DEPROVISIONING],
    emits: ['user.updated', ...EVENTS],
    summary:
      'Changes name, address or status of an account, or unblocks it. A new address must be verified. What lets somebody in is done in person.',
  }),
  delete: del('/api/v1/users/{id}', {
    ...writes,
    uses: [{ table: 'write' }, { seal: 'payload' }, { cognito: ['AdminDisableUser', 'AdminDeleteUser'] }],
    evidence: DELETION,
    emits: [...EVENTS, 'credential.transferred'],
    success: 204,
    summary: 'Deletes an account. What the person made ends, or stays with the tenant; name and address are erased.',
  }),
  setRoles: put('/api/v1/users/{id}/roles', {
    ...writes,
    access: 'roles:write',
    uses: [{ table: 'write' }],
    evidence: 'identity.user.updated',
    emits: ['user.updated'],
    summary:
      'Sets the rights of a person, from their next request on. Denials win over everything else. Rights to decide or administer are given in person.',
  }),
  confirm: post('/api/v1/users/{id}/confirm', {
    ...writes,
    inPerson: true,
    uses: [{ table: 'write' }],
    evidence: 'identity.user.updated',
    emits: ['user.updated'],
    summary:
      'Vouches for an account that somebody else has invited, promoted or reset, so that its votes count as any other.',
  }),
  credentials: read('/api/v1/users/{id}/credentials', {
    ...reads,
    summary:
      'Shows what acts in the name of a person: keys, clients, tokens, sessions, grants, invitations, requests, votes.',
  }),
  revokeCredentials: post('/api/v1/users/{id}/credentials/revoke', {
    ...writes,
    whileUnverified: true,
    uses: [{ table: 'write' }, { seal: 'payload' }, { cognito: ['AdminUserGlobalSignOut'] }],
    evidence: 'identity.credentials.revoked',
    emits: ['user.credentials_revoked', 'action.rejected'],
    timeoutSeconds: 20,
    summary: 'Ends what acts in the name of a person, by kind or one by one. What belongs to the tenant stays.',
  }),
  applications: read('/api/v1/users/{id}/applications', {
    ...reads,
    summary: 'Lists the applications that a person has given access to.',
  }),
  disconnectApplication: del('/api/v1/users/{id}/applications/{client_id}', {
    ...writes,
    whileUnverified: true,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: ['identity.oauth_grant.revoked', 'approval.cancelled'],
    emits: ['user.credentials_revoked', 'action.rejected'],
    timeoutSeconds: 20,
    resource: 'application',
    success: 204,
    summary: 'Ends the access of an application to the account of a person, who gets a mail.',
  }),
  deleteSessions: del('/api/v1/users/{id}/sessions', {
    ...writes,
    whileUnverified: true,
    uses: [{ table: 'write' }, { cognito: ['AdminUserGlobalSignOut'] }],
    evidence: 'identity.session.revoked',
    success: 204,
    summary: 'Signs a person out everywhere.',
  }),
})
