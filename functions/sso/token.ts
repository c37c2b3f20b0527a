import '../first-proof.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { SignInView } from '../../shared/identity/sessions/sign-in-view.ts'
import { redeem } from '../../shared/identity/sso/redeem.ts'
import { sso } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    code: z.string().min(1).max(128).describe('The one-time code.'),
    /** RFC 7636; required when the sign-in began with a challenge. */
    code_verifier: optional(z.string().regex(/^[\w.~-]{43,128}$/, 'This is not a code verifier (RFC 7636).')).describe(
      'The secret of PKCE (RFC 7636).',
    ),
  }),
  response: SignInView,
}

export const handler = endpoint(sso.token, shapes, ({ body, ctx }) => redeem(ctx, body))
