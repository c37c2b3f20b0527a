import * as z from 'zod'
import { oauthEndpoint } from '../../shared/edge/oauth-endpoint.ts'
import { GRANT_TYPES } from '../../shared/identity/oauth/client.ts'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { signWithKms } from '../../shared/identity/oauth/sign-with-kms.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    grant_type: z.enum(GRANT_TYPES),
    code: z.string().optional(),
    device_code: z.string().optional(),
    redirect_uri: z.string().optional(),
    code_verifier: z.string().optional(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
    /** For clients that do not authenticate in the header. */
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  }),
  response: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    /** Seconds. */
    expires_in: z.int(),
    /** The granted scopes, which may be fewer than the requested ones. */
    scope: z.string(),
    /** Only with the scope `offline_access`. Each use returns a new one. */
    refresh_token: z.string().optional(),
    /** Only when a person has signed in, also at later refreshes. */
    id_token: z.string().optional(),
  }),
}

export const handler = oauthEndpoint(oauth.token, serve({ sign: signWithKms }))
