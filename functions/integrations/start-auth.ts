import * as z from 'zod'
import { StartInput, startAuthorisation } from '../../shared/deliver/integrations/start-authorisation.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: StartInput,
  response: z.object({ auth_url: z.string(), state: z.string(), expires_at: z.string() }),
}

export const handler = endpoint(integrations.startAuth, shapes, ({ params, body, ctx }) =>
  startAuthorisation(ctx, params.id, body),
)
