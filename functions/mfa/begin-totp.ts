import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { FactorName } from '../../shared/identity/mfa/factor.ts'
import { beginTotp } from '../../shared/identity/mfa/totp-factor.ts'
import { mfa } from './routes.ts'

export const shapes = {
  body: z.strictObject({ name: optional(FactorName).describe('A name for people.') }),
  response: z.object({
    factor_id: z.string().describe('Id of the factor.'),
    /** Base32, for people who cannot scan the URI as a QR code. */
    secret: z.string().describe('The secret for the authenticator app, Base32. It is shown only once.'),
    otpauth_uri: z.string().describe('The address that an authenticator app reads, usually as a QR code.'),
    /** The app must be confirmed before then. */
    expires_at: z.string().describe('When it expires.'),
  }),
}

export const handler = endpoint(mfa.beginTotp, shapes, ({ body, ctx }) => beginTotp(ctx, body), {
  protect: textSeal('body'),
})
