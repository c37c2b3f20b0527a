import { area, patch, post, read } from '../../shared/base/wire/route.ts'

const reads = { access: 'apikeys:read', resource: 'API key' } as const

const writes = {
  host: 'api',
  access: 'apikeys:write',
  resource: 'API key',
  rate: 'global',
  uses: [{ table: 'write' }],
} as const

/** The response holds the key, so it is stored sealed for repeats. */
const makes = { ...writes, uses: [{ table: 'write' }, { seal: 'payload' }], success: 201 } as const

export const keys = area('keys', {
  create: post('/api/v1/api-keys', {
    ...makes,
    evidence: 'identity.api_key.created',
    emits: ['agent.created'],
    summary: 'Makes an API key. The key is shown here and never again.',
  }),
  list: read('/api/v1/api-keys', { ...reads, summary: 'Lists the API keys of the tenant, of both modes.' }),
  get: read('/api/v1/api-keys/{id}', {
    ...reads,
    summary: 'Shows an API key, and whether its creator is still active.',
  }),
  update: patch('/api/v1/api-keys/{id}', {
    ...writes,
    evidence: 'identity.api_key.updated',
    summary: 'Renames an API key.',
  }),
  rotate: post('/api/v1/api-keys/{id}/rotate', {
    ...makes,
    evidence: 'identity.api_key.rotated',
    summary: 'Makes a key that replaces another. Both work until the former one is revoked.',
  }),
  revoke: post('/api/v1/api-keys/{id}/revoke', {
    whileUnverified: true,
    ...writes,
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: ['identity.api_key.revoked', 'approval.cancelled'],
    emits: ['action.rejected'],
    summary: 'Revokes an API key at once and for good. Its requests that still wait for approval are cancelled.',
  }),
})
