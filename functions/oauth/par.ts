import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ client_id: z.string() }),
  response: z.object({
    request_uri: z.string(),
    /** Seconds. */
    expires_in: z.int(),
  }),
}

export const handler = serve(oauth.par)
