import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { freeForm } from '../../shared/base/wire/fields.ts'
import { signInWithPasskey } from '../../shared/identity/sign-in/passkey.ts'
import { Tokens } from '../../shared/identity/sessions/sign-in-view.ts'
import { auth } from './routes.ts'

export const shapes = {
  /** `credential`: what `navigator.credentials.get` gave, in its JSON form. */
  body: z.strictObject({ credential: freeForm.describe('The response of the authenticator (WebAuthn).') }),
  response: Tokens,
}

export const handler = endpoint(auth.signInWithPasskey, shapes, ({ body, ctx }) => signInWithPasskey(ctx, body))
