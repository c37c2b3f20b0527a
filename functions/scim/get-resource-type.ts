import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { findResourceType, refuseFilter } from '../../shared/identity/scim/discovery.ts'
import { DiscoveryQuery, ResourceTypeReply } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: ResourceTypeReply }

export const handler = endpoint(scim.getResourceType, shapes, async ({ params, query }) => {
  refuseFilter(query)
  return scimAnswer(findResourceType(params.id))
})
