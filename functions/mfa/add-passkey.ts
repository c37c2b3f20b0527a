import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { freeForm, id } from '../../shared/base/wire/fields.ts'
import { FactorName, FactorView } from '../../shared/identity/mfa/factor.ts'
import { addPasskey } from '../../shared/identity/mfa/passkey-factor.ts'
import { mfa } from './routes.ts'

export const shapes = {
  /** `credential`: what `navigator.credentials.create` gave, in its JSON form. */
  body: z.strictObject({ challenge_id: id, credential: freeForm, name: FactorName }),
  response: FactorView,
}

export const handler = endpoint(mfa.addPasskey, shapes, ({ body, ctx }) => addPasskey(ctx, body))
