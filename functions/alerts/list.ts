import * as z from 'zod'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ALERT_STATUSES, AlertView, listAlerts } from '../../shared/operate/alerts/alert.ts'
import { SEVERITIES } from '../../shared/operate/definitions/severity.ts'
import { alerts } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(ALERT_STATUSES).optional().describe('Only those in this state.'),
    severity: z.enum(SEVERITIES).optional().describe('Only of this severity.'),
    rule_id: z.string().optional().describe('The id of the rule.'),
  }),
  response: listView(AlertView),
}

export const handler = endpoint(alerts.list, shapes, ({ query, ctx }) => listAlerts(ctx, alerts.list.id, query))
