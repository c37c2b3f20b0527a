import { endpoint } from '../../shared/http/endpoint.ts'
import { scimAnswer } from '../../shared/scim/answers.ts'
import { findSchema, refuseFilter } from '../../shared/scim/discovery.ts'
import { DiscoveryQuery, SchemaReply } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: SchemaReply }

export const handler = endpoint(scim.getSchema, shapes, async ({ params, query }) => {
  refuseFilter(query)
  return scimAnswer(findSchema(params.id))
})
