import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { changeRule } from '../../shared/operate/alerts/change-rules.ts'
import { RuleChange } from '../../shared/operate/alerts/rule-fields.ts'
import { AlertRuleView, ruleView } from '../../shared/operate/alerts/rule.ts'
import { alerts } from './routes.ts'

export const shapes = { body: RuleChange, response: AlertRuleView, versioned: true }

export const handler = endpoint(alerts.updateRule, shapes, async ({ params, body, version, ctx }) => {
  const view = ruleView(await changeRule(ctx, { ...body, id: params.id, version }))
  return tagged(view, view.version)
})
