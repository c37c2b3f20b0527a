import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({ token: z.string().describe('The token to look up.') }),
  /** Only `active: false` for a token that has ended or that the client may not introspect. */
  response: z.looseObject({
    active: z.boolean().describe('Whether the token may be used now (RFC 7662).'),
    scope: z.string().optional().describe('Scopes, separated by spaces (RFC 6749).'),
    client_id: z.string().optional().describe('Id of the OAuth client.'),
    sub: z.string().optional().describe('The subject of the token.'),
    iss: z.string().optional().describe('The issuer of the token.'),
    iat: z.int().optional().describe('When the token was issued (Unix seconds).'),
    exp: z.int().optional().describe('When the token expires (Unix seconds).'),
  }),
}

export const handler = oauthEndpoint(oauth.introspect, serve())
