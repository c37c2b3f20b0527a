import { area, get, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/security/tenants/{tenant_id}/policies'
const reads = { access: 'policies:read', resource: 'policy' } as const

const writes = {
  host: 'api',
  access: 'policies:write',
  resource: 'policy',
  rate: 'global',
  uses: [{ table: 'write' }],
  evidence: 'policy.updated',
  emits: ['policy.updated'],
} as const

export const security = area('security', {
  listPolicies: read(path, { ...reads, summary: 'Lists the security policies in force.' }),
  getPolicy: read(`${path}/{policy_id}`, { ...reads, summary: 'Shows a policy; `?version=` shows a former version.' }),
  savePolicy: post(path, {
    ...writes,
    // A dry run evaluates past executions again.
    uses: [{ table: 'write' }, { seal: 'payload' }],
    timeoutSeconds: 28,
    success: 201,
    summary: 'Creates a policy, or with `policy_id` and `version` makes its next version.',
  }),
  auditLogs: get('/api/v1/security/tenants/{tenant_id}/audit-logs', {
    host: 'api',
    access: 'audit:read',
    rate: 'global',
    uses: [{ table: 'read' }],
    evidence: { none: 'reading is noted in the log itself' },
    summary:
      'Lists the audit log: who did what to whose rights and settings, and what was refused. `format=csv` for a file.',
  }),
  disablePolicy: post(`${path}/{policy_id}/disable`, { ...writes, summary: 'Takes a policy out of force.' }),
})
