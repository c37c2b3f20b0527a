import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createRule } from '../../shared/operate/alerts/change-rules.ts'
import { RuleInput } from '../../shared/operate/alerts/rule-fields.ts'
import { AlertRuleView, ruleView } from '../../shared/operate/alerts/rule.ts'
import { alerts } from './routes.ts'

export const shapes = { body: RuleInput, response: AlertRuleView }

export const handler = endpoint(alerts.createRule, shapes, async ({ body, ctx }) => {
  const created = await createRule(ctx, body)
  const Location = `/api/v1/tenants/${ctx.space.tenant_id}/alert-rules/${created.id}`
  return httpResponse(201, ruleView(created), { Location })
})
