import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { AlertRuleView, RULES, ruleView } from '../../shared/operate/alerts/rule.ts'
import { allOf } from '../../shared/operate/definitions/definitions.ts'
import { alerts } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(AlertRuleView) }

export const handler = endpoint(alerts.listRules, shapes, async ({ query, ctx }) => {
  const page = await pageOf(ctx, alerts.listRules.id, query, await allOf(ctx, RULES), ({ id }) => id)
  return { ...page, items: page.items.map(ruleView) }
})
