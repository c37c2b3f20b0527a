import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { id } from '../../shared/http/fields.ts'
import { FactorView } from '../../shared/mfa/factor.ts'
import { Code } from '../../shared/mfa/show-factor.ts'
import { confirmTotp } from '../../shared/mfa/totp-factor.ts'
import { mfa } from './routes.ts'

export const shapes = { body: z.strictObject({ factor_id: id, code: Code }), reply: FactorView }

export const handler = endpoint(mfa.confirmTotp, shapes, ({ body, ctx }) => confirmTotp(ctx, body))
