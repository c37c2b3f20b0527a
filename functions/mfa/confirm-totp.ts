import * as z from 'zod'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { id } from '../../shared/base/wire/fields.ts'
import { AddedFactor } from '../../shared/identity/mfa/factor.ts'
import { Code } from '../../shared/identity/mfa/show-factor.ts'
import { confirmTotp } from '../../shared/identity/mfa/totp-factor.ts'
import { mfa } from './routes.ts'

export const shapes = {
  body: z.strictObject({ factor_id: id.describe('Id of the factor.'), code: Code.describe('The one-time code.') }),
  response: AddedFactor,
}

export const handler = endpoint(mfa.confirmTotp, shapes, ({ body, ctx }) => confirmTotp(ctx, body), {
  protect: textSeal('body'),
})
