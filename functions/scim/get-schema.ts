import { endpoint } from '../../shared/edge/endpoint.ts'
import { DiscoveryQuery, SchemaView, scimResponse } from '../../shared/identity/scim/messages.ts'
import { findSchema, mustNotFilter } from '../../shared/identity/scim/discovery.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, response: SchemaView }

export const handler = endpoint(scim.getSchema, shapes, async ({ params, query }) => {
  mustNotFilter(query)
  return scimResponse(findSchema(params.id))
})
