import * as z from 'zod'
import { textSeal } from '../../shared/evidence/seal.ts'
import { answer } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ClientFields } from '../../shared/oauth/client-fields.ts'
import { ClientView, clientView } from '../../shared/oauth/client-view.ts'
import { createClient } from '../../shared/oauth/create-client.ts'
import { clients } from './routes.ts'

export const shapes = {
  body: ClientFields,
  reply: ClientView.extend({ client_secret: z.string().optional() }),
}

export const handler = endpoint(
  clients.create,
  shapes,
  async ({ body, ctx }) => {
    const { client, secret } = await createClient(ctx, body)
    const location = `/api/v1/oauth/clients/${client.client_id}`
    return answer(201, { ...clientView(client, ctx.now()), client_secret: secret }, { Location: location })
  },
  { protect: textSeal('body') },
)
