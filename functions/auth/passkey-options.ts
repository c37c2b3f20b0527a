import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { askForAnyPasskey } from '../../shared/identity/mfa/webauthn-options.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({}),
  /** `options`: what `navigator.credentials.get` takes, in its JSON form. */
  response: z.object({
    options: z
      .looseObject({ challenge: z.string().describe('The value that the authenticator signs, base64url.') })
      .describe('The argument for `navigator.credentials` (WebAuthn).'),
  }),
}

export const handler = endpoint(auth.passkeyOptions, shapes, async ({ ctx }) => ({
  options: { ...(await askForAnyPasskey(ctx)) },
}))
