import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { ClientView, clientView } from '../../shared/identity/oauth/clients/client.ts'
import { rotateClientSecret } from '../../shared/identity/oauth/clients/change-client.ts'
import { clients } from './routes.ts'

export const shapes = {
  body: z.strictObject({}),
  response: ClientView.extend({
    client_secret: z.string().describe('The secret of the client. It is shown only once.'),
  }),
}

export const handler = endpoint(
  clients.rotateSecret,
  shapes,
  async ({ params, ctx }) => {
    const { client, secret } = await rotateClientSecret(ctx, params.client_id)
    return { ...clientView(client, ctx.now()), client_secret: secret }
  },
  { protect: textSeal('body') },
)
