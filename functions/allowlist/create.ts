import * as z from 'zod'
import { RuleView } from '../../shared/identity/access/allowlist-rule.ts'
import { addRule } from '../../shared/identity/access/change-allowlist.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { allowlist } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    cidr: z.string().max(64),
    description: z.string().max(200).optional(),
    confirm: z.boolean().optional(),
  }),
  response: RuleView,
}

export const handler = endpoint(allowlist.create, shapes, async ({ body, ctx }) => {
  const rule = await addRule(ctx, body)
  return httpResponse(201, rule, { Location: `/api/v1/tenants/${rule.tenant_id}/ip-allowlist/${rule.id}` })
})
