import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { oauth } from './routes.ts'

export const shapes = {
  query: z.looseObject({
    client_id: z.string(),
    response_type: z.literal('code'),
    redirect_uri: z.string(),
    /** Separated by spaces; `openid` is one of them. */
    scope: z.string(),
    state: z.string().optional(),
    nonce: z.string().optional(),
    /** RFC 7636; public clients must send one. */
    code_challenge: z.string().optional(),
    code_challenge_method: z.literal('S256').optional(),
    prompt: z.string().optional(),
    login_hint: z.string().optional(),
  }),
  response: z.string().meta({ contentMediaType: 'text/html' }),
}

/** Redirects to the sign-in and consent pages, or back to the client with a code or an error. */
export const handler = oauthEndpoint(oauth.authorize, serve())
