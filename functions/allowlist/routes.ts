import { area, del, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/tenants/{tenant_id}/ip-allowlist'
const changes = { host: 'api', access: 'tenant:security', rate: 'global', uses: [{ table: 'write' }] } as const

export const allowlist = area('allowlist', {
  list: read(path, {
    access: 'tenant:read',
    resource: 'tenant',
    summary: 'Lists the networks that may call. An empty list lets everybody in.',
  }),
  create: post(path, {
    ...changes,
    resource: 'tenant',
    success: 201,
    evidence: 'identity.allowlist_rule.created',
    summary: 'Adds an address or a network (CIDR). It takes effect within 30 seconds.',
  }),
  delete: del(`${path}/{rule_id}`, {
    ...changes,
    resource: 'allowlist rule',
    success: 204,
    evidence: 'identity.allowlist_rule.deleted',
    summary: 'Removes a rule; `?confirm=true` also when that locks the caller out.',
  }),
})
