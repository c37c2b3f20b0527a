import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ token: z.string() }),
  /** Of a token that is over, or none of the client's business, only `active`. */
  response: z.looseObject({
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().optional(),
    sub: z.string().optional(),
    iss: z.string().optional(),
    iat: z.int().optional(),
    exp: z.int().optional(),
  }),
}

export const handler = serve(oauth.introspect)
