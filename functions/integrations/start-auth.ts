import * as z from 'zod'
import { StartInput, startAuthorisation } from '../../shared/deliver/integrations/start-authorisation.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: StartInput,
  response: z.object({
    auth_url: z.string().describe('The address to open in a browser.'),
    state: z.string().describe('Comes back with the person; auth/complete takes it once.'),
    expires_at: z.string().describe('When it expires.'),
  }),
}

export const handler = endpoint(integrations.startAuth, shapes, ({ params, body, ctx }) =>
  startAuthorisation(ctx, params.id, body),
)
