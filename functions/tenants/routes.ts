import { ASKS, area, del, patch, post, read } from '../../shared/base/wire/route.ts'

const one = '/api/v1/tenants/{tenant_id}'
const common = { host: 'api', rate: 'global' } as const

export const tenants = area('tenants', {
  create: post('/api/v1/tenants', {
    ...common,
    access: 'self',
    uses: [
      { table: 'write' },
      { verifyKey: true },
      { cognito: ['AdminCreateUser', 'AdminGetUser', 'AdminSetUserPassword'] },
    ],
    evidence: 'identity.tenant.created',
    success: 201,
    summary: 'Founds another tenant. Its owner, with the address of the caller, gets an invitation to it.',
  }),
  get: read(one, {
    access: 'self',
    summary: 'Shows the tenant with its settings.',
  }),
  update: patch(one, {
    ...common,
    access: 'tenant:security',
    ...ASKS,
    timeoutSeconds: 28, // a group may have thousands of members
    evidence: ['identity.tenant.updated', 'action.requested'],
    summary: 'Changes name, logo and settings of the tenant. Governance settings apply from the next decision on.',
  }),
  close: del(one, {
    ...common,
    access: 'tenant:delete',
    uses: [{ table: 'write' }],
    evidence: 'identity.tenant.closed',
    success: 204,
    summary: 'Closes the tenant: every credential is refused within 30 seconds. The evidence stays.',
  }),
})
