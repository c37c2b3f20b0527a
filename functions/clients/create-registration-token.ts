import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { createRegistrationToken } from '../../shared/identity/oauth/registration-token.ts'
import { clients } from './routes.ts'

const DAY_SECONDS = 86_400

export const shapes = {
  body: z.strictObject({
    /** Seconds. */
    expires_in: z.int().min(60).max(DAY_SECONDS),
    uses: z.literal(1).default(1),
  }),
  response: z.object({ id: z.string(), token: z.string(), expires_at: z.string(), uses: z.literal(1) }),
}

export const handler = endpoint(
  clients.createRegistrationToken,
  shapes,
  async ({ body, ctx }) => ({ ...(await createRegistrationToken(ctx, body.expires_in)), uses: body.uses }),
  { protect: textSeal('body') },
)
