import { endpoint } from '../../shared/edge/endpoint.ts'
import { ConfigView, DiscoveryQuery, scimResponse } from '../../shared/identity/scim/messages.ts'
import { serviceProviderConfig, mustNotFilter } from '../../shared/identity/scim/discovery.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, response: ConfigView }

export const handler = endpoint(scim.serviceProviderConfig, shapes, async ({ query }) => {
  mustNotFilter(query)
  return scimResponse(serviceProviderConfig())
})
