import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ client_id: z.string().describe('Id of the OAuth client.') }),
  response: z.object({
    request_uri: z.string().describe('A reference to the pushed request (RFC 9126).'),
    expires_in: z.int().describe('Seconds until it expires.'),
  }),
}

export const handler = oauthEndpoint(oauth.par, serve())
