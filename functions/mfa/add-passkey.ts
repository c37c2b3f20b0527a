import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { freeForm, id } from '../../shared/http/fields.ts'
import { FactorName, FactorView } from '../../shared/mfa/factor.ts'
import { addPasskey } from '../../shared/mfa/passkey-factor.ts'
import { mfa } from './routes.ts'

export const shapes = {
  /** `credential`: what `navigator.credentials.create` gave, in its JSON form. */
  body: z.strictObject({ challenge_id: id, credential: freeForm, name: FactorName }),
  reply: FactorView,
}

export const handler = endpoint(mfa.addPasskey, shapes, ({ body, ctx }) => addPasskey(ctx, body))
