import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { id } from '../../shared/base/wire/fields.ts'
import { FactorView } from '../../shared/identity/mfa/factor.ts'
import { Code } from '../../shared/identity/mfa/show-factor.ts'
import { confirmTotp } from '../../shared/identity/mfa/totp-factor.ts'
import { mfa } from './routes.ts'

export const shapes = { body: z.strictObject({ factor_id: id, code: Code }), response: FactorView }

export const handler = endpoint(mfa.confirmTotp, shapes, ({ body, ctx }) => confirmTotp(ctx, body))
