import { area, get } from '../../shared/base/wire/route.ts'

export const securityEvents = area('security-events', {
  list: get('/api/v1/tenants/{tenant_id}/security-events', {
    host: 'api',
    access: 'audit:read',
    sandbox: false,
    rate: 'global',
    uses: [{ table: 'read' }],
    evidence: { none: 'reads change nothing' },
    summary: 'Lists what was unusual about sign-ins and credentials, newest first.',
  }),
})
