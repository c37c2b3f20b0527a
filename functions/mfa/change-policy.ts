import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { changeMfaPolicy } from '../../shared/mfa/change-policy.ts'
import { MfaPolicy } from '../../shared/tenants/tenant.ts'
import { mfa } from './routes.ts'

export const shapes = { body: z.strictObject(MfaPolicy.omit({ since: true }).shape), reply: MfaPolicy }

export const handler = endpoint(mfa.changePolicy, shapes, ({ body, ctx }) => changeMfaPolicy(ctx, body))
