import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ClientFields } from '../../shared/identity/oauth/clients/client-fields.ts'
import { ClientView, clientView } from '../../shared/identity/oauth/clients/client.ts'
import { createClient } from '../../shared/identity/oauth/clients/create-client.ts'
import { clients } from './routes.ts'

export const shapes = {
  body: ClientFields,
  response: ClientView.extend({
    client_secret: z.string().optional().describe('The secret of the client. It is shown only once.'),
  }),
}

export const handler = endpoint(
  clients.create,
  shapes,
  async ({ body, ctx }) => {
    const { client, secret } = await createClient(ctx, body)
    const location = `/api/v1/oauth/clients/${client.client_id}`
    return httpResponse(201, { ...clientView(client, ctx.now()), client_secret: secret }, { Location: location })
  },
  { protect: textSeal('body') },
)
