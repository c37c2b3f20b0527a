import { area, del, patch, post, read } from '../../shared/base/wire/route.ts'

const one = '/api/v1/oauth/clients/{client_id}'
const common = { host: 'api', access: 'oauth_clients:write', rate: 'global', resource: 'OAuth client' } as const
const secret = { ...common, uses: [{ table: 'write' }, { seal: 'payload' }] } as const

export const clients = area('clients', {
  create: post('/api/v1/oauth/clients', {
    ...secret,
    success: 201,
    evidence: 'identity.oauth_client.created',
    emits: ['agent.created'],
    summary: 'Registers an OAuth client. Its secret is shown here and never again.',
  }),
  list: read('/api/v1/oauth/clients', { ...common, summary: 'Lists the OAuth clients.' }),
  get: read(one, { ...common, summary: 'Shows an OAuth client.' }),
  logouts: read(`${one}/logouts`, {
    ...common,
    summary: 'Lists the logouts that a client was told of in the last 30 days, newest first.',
  }),
  update: patch(one, {
    ...secret,
    evidence: ['identity.oauth_client.updated', 'approval.cancelled'],
    emits: ['action.rejected'],
    timeoutSeconds: 20,
    summary:
      'Changes an OAuth client. A disabled client gets no tokens, its tokens end, and what it asked for is cancelled.',
  }),
  delete: del(one, {
    whileUnverified: true,
    ...secret,
    success: 204,
    evidence: ['identity.oauth_client.deleted', 'approval.cancelled'],
    emits: ['action.rejected'],
    timeoutSeconds: 20,
    summary: 'Deletes an OAuth client. Its grants, codes and tokens end with it, and what it asked for is cancelled.',
  }),
  rotateSecret: post(`${one}/secret`, {
    ...secret,
    evidence: 'identity.oauth_client.secret_rotated',
    summary: 'Creates a new secret for a client, shown only here. The previous one works for another 24 hours.',
  }),
  listConsents: read('/api/v1/oauth/consents', {
    access: 'users:read',
    summary: 'Lists what people have allowed clients, by client and person.',
  }),
  createRegistrationToken: post('/api/v1/oauth/registration-tokens', {
    ...common,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    success: 201,
    evidence: 'identity.registration_token.created',
    summary: 'Creates a token with which one client can register itself, shown only here.',
  }),
})
