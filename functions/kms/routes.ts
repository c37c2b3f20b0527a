import { area, get, post } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}/kms'

export const kms = area('kms', {
  get: get(path, {
    host: 'api',
    access: 'tenant:read',
    rate: 'global',
    resource: 'tenant',
    uses: [{ table: 'read' }, { customerKeys: 'show' }],
    evidence: { none: 'reads change nothing' },
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
