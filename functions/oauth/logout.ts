import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  query: z.looseObject({
    id_token_hint: z.string().optional().describe('An ID token of the session that ends.'),
    client_id: z
      .string()
      .optional()
      .describe('The id of the OAuth client.')
      .meta({ examples: ['cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'] }),
    post_logout_redirect_uri: z
      .string()
      .optional()
      .describe('Where to go afterwards, a registered address of the client.'),
    state: z.string().optional().describe('Returned unchanged with the answer.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

export const handler = oauthEndpoint(oauth.logout, serve())
