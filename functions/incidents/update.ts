import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { changeIncident } from '../../shared/operate/incidents/change-incident.ts'
import { IncidentChange } from '../../shared/operate/incidents/create-incident.ts'
import { IncidentView, incidentView } from '../../shared/operate/incidents/incident.ts'
import { incidents } from './routes.ts'

export const shapes = { body: IncidentChange, response: IncidentView, versioned: true }

export const handler = endpoint(incidents.update, shapes, async ({ params, body, version, ctx }) => {
  const changed = await changeIncident(ctx, { ...body, id: params.id, version })
  return tagged(incidentView(changed), changed._v)
})
