import * as z from 'zod'
import { ListQuery, listView, paginate } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import {
  type Incident,
  INCIDENT_SEVERITIES,
  INCIDENT_STATUSES,
  incidents as stored,
  incidentsKey,
  IncidentView,
  incidentView,
} from '../../shared/operate/incidents/incident.ts'
import { incidents } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({
    status: z.enum(INCIDENT_STATUSES).optional().describe('Only those in this state.'),
    severity: z.enum(INCIDENT_SEVERITIES).optional().describe('Only of this severity.'),
  }),
  response: listView(IncidentView),
}

export const handler = endpoint(incidents.list, shapes, async ({ query, ctx }) => {
  const { status, severity } = query
  const matches = (incident: Incident) =>
    (status ?? incident.status) === incident.status && (severity ?? incident.severity) === incident.severity
  const page = await paginate(ctx, incidents.list.id, query, {
    of: stored,
    index: 'gsi1',
    groups: [{ name: 'incidents', partitions: [incidentsKey(ctx.space)] }],
    filter: (status ?? severity) ? matches : undefined,
  })
  return { ...page, items: page.items.map(incidentView) }
})
