import * as z from 'zod'
import { serve } from '../../shared/identity/oauth/serve.ts'
import { signWithKms } from '../../shared/identity/oauth/sign-with-kms.ts'
import { oauth } from './routes.ts'

export const shapes = {
  body: z.looseObject({
    grant_type: z.enum(['authorization_code', 'client_credentials', 'refresh_token']),
    code: z.string().optional(),
    redirect_uri: z.string().optional(),
    code_verifier: z.string().optional(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
    /** Of clients that do not prove themselves in the header. */
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  }),
  response: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    /** Seconds. */
    expires_in: z.int(),
    /** What was given, which may be less than what was asked for. */
    scope: z.string(),
    /** With the scope `offline_access`; each use gives another one. */
    refresh_token: z.string().optional(),
    /** With a code, and with a refresh token that came of one. */
    id_token: z.string().optional(),
  }),
}

export const handler = serve(oauth.token, { sign: signWithKms })
