import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}'
const changes = { host: 'api', access: 'tenant:security', rate: 'global', resource: 'tenant' } as const

export const domains = area('domains', {
  list: read(`${path}/domains`, {
    access: 'tenant:read',
    resource: 'tenant',
    summary: 'Lists the domains of the tenant with their state.',
  }),
  request: post(`${path}/domain/verification`, {
    ...changes,
    uses: [{ table: 'write' }],
    evidence: 'identity.domain.requested',
    summary: 'Gives the TXT record that proves control of a domain. It stays the same until it expires.',
  }),
  confirm: post(`${path}/domain/verification/confirm`, {
    ...changes,
    uses: [{ table: 'write' }, { dns: true }],
    evidence: 'identity.domain.verified',
    emits: ['artifact.created'],
    timeoutSeconds: 15,
    summary: 'Looks for the TXT record now. The first tenant with a matching record owns the domain.',
  }),
})
