import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimResponse } from '../../shared/identity/scim/responses.ts'
import { listResourceTypes, mustNotFilter } from '../../shared/identity/scim/discovery.ts'
import { DiscoveryQuery, ListView } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, response: ListView }

export const handler = endpoint(scim.listResourceTypes, shapes, async ({ query }) => {
  mustNotFilter(query)
  return scimResponse(listResourceTypes())
})
