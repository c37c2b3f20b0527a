import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { ClientView, clientView, ownClient } from '../../shared/identity/oauth/clients/client.ts'
import { clients } from './routes.ts'

export const shapes = { response: ClientView, versioned: true }

export const handler = endpoint(clients.get, shapes, async ({ params, ctx }) => {
  const client = await ownClient(ctx, params.client_id)
  return tagged(clientView(client, ctx.now()), client._v)
})
