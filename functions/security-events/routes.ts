import { area, read } from '../../shared/base/wire/route.ts'

export const securityEvents = area('security-events', {
  list: read('/api/v1/tenants/{tenant_id}/security-events', {
    access: 'audit:read',
    sandbox: false,
    summary: 'Lists security events about sign-ins and credentials, newest first.',
  }),
})
