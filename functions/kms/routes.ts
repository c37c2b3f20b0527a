import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}/kms'

export const kms = area('kms', {
  get: read(path, {
    access: 'tenant:read',
    resource: 'tenant',
    uses: [{ table: 'read' }, { customerKeys: 'show' }],
    summary: 'Shows the KMS key that encrypts the data of the tenant, and what the policy of a customer key must say.',
  }),
  configure: post(path, {
    host: 'api',
    access: 'tenant:kms',
    rate: 'global',
    resource: 'tenant',
    uses: [{ table: 'write' }, { customerKeys: 'check' }],
    evidence: 'identity.encryption_key.changed',
    summary: 'Encrypts the data of the tenant under a KMS key of its own; `null` goes back to the service key.',
  }),
})
