import { endpoint } from '../../shared/edge/endpoint.ts'
import { DiscoveryQuery, ResourceTypeView, scimResponse } from '../../shared/identity/scim/messages.ts'
import { findResourceType, mustNotFilter } from '../../shared/identity/scim/discovery.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, response: ResourceTypeView }

export const handler = endpoint(scim.getResourceType, shapes, async ({ params, query }) => {
  mustNotFilter(query)
  return scimResponse(findResourceType(params.id))
})
