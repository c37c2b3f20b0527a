import { tagged } from '../../shared/base/wire/etag.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { findIncident } from '../../shared/operate/incidents/finish-incident.ts'
import {
  IncidentDetail,
  incidentKey,
  incidentView,
  timeline,
  TIMELINE_PREFIX,
} from '../../shared/operate/incidents/incident.ts'
import { incidents } from './routes.ts'

export const shapes = { response: IncidentDetail, versioned: true }

/** Entries of the timeline that are shown: the last ones. */
const ENTRIES_MAX = 200

export const handler = endpoint(incidents.get, shapes, async ({ params, ctx }) => {
  const [incident, entries] = await Promise.all([
    findIncident(ctx, params.id),
    ctx.table.query(timeline, {
      pk: incidentKey(ctx.space, params.id),
      prefix: TIMELINE_PREFIX,
      descending: true,
      limit: ENTRIES_MAX,
    }),
  ])
  return tagged({ ...incidentView(incident), timeline: entries.toReversed() }, incident._v)
})
