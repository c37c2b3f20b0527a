import { endpoint } from '../../shared/edge/endpoint.ts'
import { scimAnswer } from '../../shared/identity/scim/answers.ts'
import { serviceProviderConfig, refuseFilter } from '../../shared/identity/scim/discovery.ts'
import { ConfigReply, DiscoveryQuery } from '../../shared/identity/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: ConfigReply }

export const handler = endpoint(scim.serviceProviderConfig, shapes, async ({ query }) => {
  refuseFilter(query)
  return scimAnswer(serviceProviderConfig())
})
