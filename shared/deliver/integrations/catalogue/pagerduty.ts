import { choice, count, excerpt, flag, list, operation, shape, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { limit: count(100), offset: text() }
const reference = shape({ id: text(), type: text() }, ['id', 'type'])

export const pagerduty: Provider = {
  id: 'pagerduty',
  name: 'PagerDuty',
  category: 'issues',
  description: 'Incidents and services of a PagerDuty account.',
  oauth: {
    authorization_url: 'https://app.pagerduty.com/oauth/authorize',
    token_url: 'https://app.pagerduty.com/oauth/token',
  },
  base_url: 'https://api.pagerduty.com',
  headers: { accept: 'application/vnd.pagerduty+json;version=2' },
  scopes_required: ['incidents.read', 'incidents.write'],
  models: [
    {
      name: 'incidents',
      list: 'GET /incidents',
      items: 'incidents',
      id: 'id',
      size: 'limit',
      since: 'since',
      paging: { by: 'offset', to: 'offset', more: 'more' },
    },
  ],
  document: excerpt('PagerDuty', {
    incidents: [
      operation('GET /incidents', 'list_incidents', 'Lists incidents.', {
        query: { since: text(), until: text(), total: flag, ...page },
      }),
      operation('GET /incidents/{id}', 'get_incident', 'Reads an incident.'),
      operation('POST /incidents', 'create_incident', 'Opens an incident.', {
        body: {
          incident: shape({ type: text(), title: text(), service: reference, urgency: choice('high', 'low') }, [
            'type',
            'title',
            'service',
          ]),
        },
        required: ['incident'],
      }),
      operation('PUT /incidents/{id}', 'update_incident', 'Acknowledges or resolves an incident.', {
        body: { incident: shape({ type: text(), status: choice('acknowledged', 'resolved') }, ['type']) },
        required: ['incident'],
      }),
      operation('POST /incidents/{id}/notes', 'create_incident_note', 'Adds a note to an incident.', {
        body: { note: shape({ content: text() }, ['content']) },
        required: ['note'],
      }),
      operation('GET /services', 'list_services', 'Lists services.', { query: { query: text(), ...page } }),
      operation('PUT /incidents/{id}/merge', 'merge_incidents', 'Merges incidents into one.', {
        body: { source_incidents: list(reference) },
        required: ['source_incidents'],
      }),
    ],
  }),
}
