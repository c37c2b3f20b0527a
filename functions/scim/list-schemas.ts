import { endpoint } from '../../shared/edge/endpoint.ts'
import { DiscoveryQuery, ListView, scimResponse } from '../../shared/identity/scim/messages.ts'
import { listSchemas, mustNotFilter } from '../../shared/identity/scim/discovery.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, response: ListView }

export const handler = endpoint(scim.listSchemas, shapes, async ({ query }) => {
  mustNotFilter(query)
  return scimResponse(listSchemas())
})
