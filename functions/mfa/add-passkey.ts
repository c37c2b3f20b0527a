import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { freeForm, id } from '../../shared/base/wire/fields.ts'
import { AddedFactor, FactorName } from '../../shared/identity/mfa/factor.ts'
import { addPasskey } from '../../shared/identity/mfa/passkey-factor.ts'
import { mfa } from './routes.ts'

export const shapes = {
  /** `credential`: what `navigator.credentials.create` gave, in its JSON form. */
  body: z.strictObject({
    challenge_id: id.describe('Id of the challenge that is answered.'),
    credential: freeForm.describe('The response of the authenticator (WebAuthn).'),
    name: FactorName.describe('A name for people.'),
  }),
  response: AddedFactor,
}

export const handler = endpoint(mfa.addPasskey, shapes, ({ body, ctx }) => addPasskey(ctx, body), {
  protect: textSeal('body'),
})
