import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { listResourceTypes, refuseFilter } from '../../shared/identity/scim/discovery.ts'
import { DiscoveryQuery, ListReply } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: ListReply }

export const handler = endpoint(scim.listResourceTypes, shapes, async ({ query }) => {
  refuseFilter(query)
  return scimAnswer(listResourceTypes())
})
