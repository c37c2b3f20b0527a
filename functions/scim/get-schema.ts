import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimResponse } from '../../shared/identity/scim/responses.ts'
import { findSchema, mustNotFilter } from '../../shared/identity/scim/discovery.ts'
import { DiscoveryQuery, SchemaView } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, response: SchemaView }

export const handler = endpoint(scim.getSchema, shapes, async ({ params, query }) => {
  mustNotFilter(query)
  return scimResponse(findSchema(params.id))
})
