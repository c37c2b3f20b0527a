// One rule of a tenant's allowlist: who added a network, when and why. Requests are checked against the list of networks in
// the tenant itself. Both change in one transaction.
import * as z from 'zod'
import { entity, key, spaceKey } from '../../base/table/entity.ts'

export const RULES_MAX = 200

export const AllowlistRule = z.object({
  tenant_id: z.string(),
  id: z.string().describe('The id, which never changes.'),
  cidr: z.string().describe('A network in CIDR notation, or one address.'),
  description: z.string().optional().describe('A description for people.'),
  created_by: z.string().describe('The caller that created it.'),
  created_at: z.string().describe('When it was created.'),
})
export type AllowlistRule = z.output<typeof AllowlistRule>

export const RuleView = AllowlistRule.omit({ tenant_id: true })

export const rulesPartition = (tenant_id: string): string => spaceKey({ tenant_id, mode: 'live' })
export const RULE_PREFIX = 'IPRULE#'

export const allowlistRules = entity({
  name: 'IPRULE',
  unbound: 'bounded',
  schema: AllowlistRule,
  key: (of: { tenant_id: string; id: string }) => ({ pk: rulesPartition(of.tenant_id), sk: key('IPRULE', of.id) }),
})
