import { endpoint } from '../../shared/http/endpoint.ts'
import { scimAnswer } from '../../shared/scim/answers.ts'
import { serviceProviderConfig, refuseFilter } from '../../shared/scim/discovery.ts'
import { ConfigReply, DiscoveryQuery } from '../../shared/scim/shapes.ts'
import { scim } from './routes.ts'

export const shapes = { query: DiscoveryQuery, reply: ConfigReply }

export const handler = endpoint(scim.serviceProviderConfig, shapes, async ({ query }) => {
  refuseFilter(query)
  return scimAnswer(serviceProviderConfig())
})
