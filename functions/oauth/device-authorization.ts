import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    client_id: z.string().describe('Id of the OAuth client.'),
    client_secret: z.string().optional().describe('The secret of the client. It is shown only once.'),
    /** Separated by spaces; `openid` is one of them, unless the request names a resource. */
    scope: z.string().optional().describe('Scopes, separated by spaces (RFC 6749).'),
    resource: z.string().optional().describe('What the token is for (RFC 8707).'),
  }),
  response: z.object({
    device_code: z.string().describe('The code by which the device asks for its tokens (RFC 8628).'),
    user_code: z.string().describe('The code that the device shows and a person types (RFC 8628).'),
    verification_uri: z.string().describe('The page where a person types that code.'),
    verification_uri_complete: z.string().describe('The same page with the code filled in.'),
    expires_in: z.int().describe('Seconds until it expires.'),
  }),
}

export const handler = oauthEndpoint(oauth.deviceAuthorization, serve())
