import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createRegistrationToken } from '../../shared/identity/oauth/clients/registration-token.ts'
import { clients } from './routes.ts'

const DAY_SECONDS = 86_400

export const shapes = {
  body: z.strictObject({
    expires_in: z.int().min(60).max(DAY_SECONDS).describe('Seconds until it expires.'),
    uses: z.literal(1).default(1).describe('The number of clients that it may register.'),
  }),
  response: z.object({
    id: z.string().describe('The id, which never changes.'),
    token: z.string().describe('The token, which is shown only once.'),
    expires_at: z.string().describe('When it expires.'),
    uses: z.literal(1).describe('The number of clients that it may register.'),
  }),
}

export const handler = endpoint(
  clients.createRegistrationToken,
  shapes,
  async ({ body, ctx }) => ({ ...(await createRegistrationToken(ctx, body.expires_in)), uses: body.uses }),
  { protect: textSeal('body') },
)
