import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  query: z.looseObject({
    client_id: z
      .string()
      .describe('The id of the OAuth client.')
      .meta({ examples: ['cli_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'] }),
    response_type: z
      .literal('code')
      .describe('`code`.')
      .meta({ examples: ['code'] }),
    redirect_uri: z
      .string()
      .describe('Where the answer goes, a registered address.')
      .meta({ examples: ['https://reporter.example/callback'] }),
    /** Separated by spaces; `openid` is one of them. */
    scope: z
      .string()
      .describe('The requested scopes, separated by spaces.')
      .meta({ examples: ['openid'] }),
    state: z.string().optional().describe('Returned unchanged with the answer.'),
    nonce: z.string().optional().describe('Returned unchanged in the ID token.'),
    /** RFC 7636; public clients must send one. */
    code_challenge: z.string().optional().describe('The challenge of PKCE (RFC 7636).'),
    code_challenge_method: z.literal('S256').optional().describe('How the challenge was made (RFC 7636).'),
    prompt: z.string().optional().describe('Whether the person is asked again (OpenID Connect Core, section 3.1.2.1).'),
    login_hint: z.string().optional().describe('The address of the person who signs in.'),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

/** Redirects to the sign-in and consent pages, or back to the client with a code or an error. */
export const handler = oauthEndpoint(oauth.authorize, serve())
