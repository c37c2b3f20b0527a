import * as z from 'zod'
import { RuleView } from '../../shared/identity/access/allowlist-rule.ts'
import { addRule } from '../../shared/identity/access/change-allowlist.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { allowlist } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    cidr: z.string().max(64).describe('A network in CIDR notation, or one address.'),
    description: z.string().max(200).optional().describe('A description for people.'),
    confirm: z.boolean().optional().describe('Whether to make the change even if it locks the caller out.'),
  }),
  response: RuleView,
}

export const handler = endpoint(allowlist.create, shapes, async ({ body, ctx }) => {
  const rule = await addRule(ctx, body)
  return httpResponse(201, rule, { Location: `/api/v1/tenants/${rule.tenant_id}/ip-allowlist/${rule.id}` })
})
