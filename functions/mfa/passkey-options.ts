import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { PURPOSES } from '../../shared/identity/mfa/challenge.ts'
import { passkeyOptions } from '../../shared/identity/mfa/passkey-factor.ts'
import { mfa } from './routes.ts'

export const shapes = {
  body: z.strictObject({ purpose: z.enum(PURPOSES).describe('Whether a passkey is enrolled or verified.') }),
  response: z.object({
    challenge_id: z.string().describe('Id of the challenge that is answered.'),
    /** What `navigator.credentials` takes, in its JSON form. */
    options: z
      .looseObject({ challenge: z.string().describe('The value that the authenticator signs, base64url.') })
      .describe('The argument for `navigator.credentials` (WebAuthn).'),
  }),
}

export const handler = endpoint(mfa.passkeyOptions, shapes, ({ body, ctx }) => passkeyOptions(ctx, body))
