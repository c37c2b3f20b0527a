import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    client_id: z.string(),
    client_secret: z.string().optional(),
    /** Separated by spaces; `openid` is one of them, unless the request names a resource. */
    scope: z.string().optional(),
    resource: z.string().optional(),
  }),
  response: z.object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    /** Seconds. */
    expires_in: z.int(),
  }),
}

export const handler = oauthEndpoint(oauth.deviceAuthorization, serve())
