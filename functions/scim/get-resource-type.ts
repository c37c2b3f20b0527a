import { endpoint } from '../../shared/http/endpoint.ts'
import { scimAnswer } from '../../shared/scim/answers.ts'
import { findResourceType, refuseFilter } from '../../shared/scim/discovery.ts'
import { DiscoveryQuery, ResourceTypeReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: ResourceTypeReply }

export const handler = endpoint(scim.getResourceType, shapes, async ({ params, query }) => {
  refuseFilter(query)
  return scimAnswer(findResourceType(params.id))
})
