import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { GRANT_TYPES } from '../../shared/identity/oauth/clients/client.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { signWithKms } from '../../shared/identity/oauth/sign-with-kms.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    grant_type: z.enum(GRANT_TYPES).describe('The grant that the client presents (RFC 6749).'),
    code: z.string().optional().describe('The authorisation code (RFC 6749, section 4.1.3).'),
    device_code: z.string().optional().describe('The code by which the device asks for its tokens (RFC 8628).'),
    redirect_uri: z.string().optional().describe('The redirect URI of the request for the code.'),
    code_verifier: z.string().optional().describe('The secret of PKCE (RFC 7636).'),
    refresh_token: z.string().optional().describe('A token to get new tokens. It works once.'),
    scope: z.string().optional().describe('Scopes, separated by spaces (RFC 6749).'),
    /** For clients that do not authenticate in the header. */
    client_id: z.string().optional().describe('Id of the OAuth client.'),
    client_secret: z.string().optional().describe('The secret of the client. It is shown only once.'),
  }),
  response: z.object({
    access_token: z.string().describe('A JWT. Send it as `Authorization: Bearer`.'),
    token_type: z.literal('Bearer').describe('How to send the token.'),
    expires_in: z.int().describe('Seconds until it expires.'),
    /** The granted scopes, which may be fewer than the requested ones. */
    scope: z.string().describe('Scopes, separated by spaces (RFC 6749).'),
    /** Only with the scope `offline_access`. Each use returns a new one. */
    refresh_token: z.string().optional().describe('A token to get new tokens. It works once.'),
    /** Only when a person has signed in, also at later refreshes. */
    id_token: z.string().optional().describe('A JWT about the person who signed in (OpenID Connect).'),
  }),
}

export const handler = oauthEndpoint(oauth.token, serve({ sign: signWithKms }))
