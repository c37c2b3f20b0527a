import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { allowlist } from './routes.ts'

export const examples: Examples<typeof allowlist> = {
  create: { body: { cidr: '127.0.0.1', description: 'Office' } },
}

export const variables: Variables<typeof allowlist> = {
  '/api/v1/tenants/{tenant_id}/ip-allowlist/{rule_id}': ['The id of the rule.', 'ipr_01JD3Q8Z5NE0M2P4R6T8V0X2Z4'],
}
