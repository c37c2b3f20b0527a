import { endpoint } from '../../shared/http/endpoint.ts'
import { scimAnswer } from '../../shared/scim/answers.ts'
import { listResourceTypes, refuseFilter } from '../../shared/scim/discovery.ts'
import { DiscoveryQuery, ListReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: ListReply }

export const handler = endpoint(scim.listResourceTypes, shapes, async ({ query }) => {
  refuseFilter(query)
  return scimAnswer(listResourceTypes())
})
