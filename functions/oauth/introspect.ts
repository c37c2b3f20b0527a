import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ token: z.string() }),
  /** Only `active: false` for a token that has ended or that the client may not introspect. */
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

export const handler = oauthEndpoint(oauth.introspect, serve())
