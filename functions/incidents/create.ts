import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createIncident, IncidentInput } from '../../shared/operate/incidents/create-incident.ts'
import { IncidentView, incidentView } from '../../shared/operate/incidents/incident.ts'
import { incidents } from './routes.ts'

export const shapes = { body: IncidentInput, response: IncidentView, versioned: true }

export const handler = endpoint(incidents.create, shapes, async ({ body, ctx }) => {
  const created = await createIncident(ctx, body)
  return tagged(incidentView(created), created._v, 201, { Location: `/api/v1/operations/incidents/${created.id}` })
})
