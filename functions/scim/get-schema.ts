import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { findSchema, refuseFilter } from '../../shared/identity/scim/discovery.ts'
import { DiscoveryQuery, SchemaReply } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: SchemaReply }

export const handler = endpoint(scim.getSchema, shapes, async ({ params, query }) => {
  refuseFilter(query)
  return scimAnswer(findSchema(params.id))
})
