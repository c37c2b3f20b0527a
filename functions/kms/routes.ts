import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}/kms'

export const kms = area('kms', {
  get: read(path, {
    access: 'tenant:read',
    resource: 'tenant',
    uses: [{ table: 'read' }, { customerKeys: 'show' }],
    summary: 'Shows under which KMS key the tenant is sealed, and what the policy of an own key must say.',
  }),
  configure: post(path, {
    host: 'api',
    access: 'tenant:kms',
    rate: 'global',
    resource: 'tenant',
    uses: [{ table: 'write' }, { customerKeys: 'check' }],
    evidence: 'identity.encryption_key.changed',
    summary: 'Seals the tenant under a KMS key of its own; `null` goes back to the service key.',
  }),
})
