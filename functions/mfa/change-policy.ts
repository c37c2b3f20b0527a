import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { optional } from '../../shared/http/fields.ts'
import { changeMfaPolicy } from '../../shared/mfa/change-policy.ts'
import { MfaPolicyView } from '../../shared/mfa/policy-view.ts'
import { MfaPolicy } from '../../shared/tenants/tenant.ts'
import { mfa } from './routes.ts'

export const shapes = {
  /** Whole: what is left out takes its default. */
  body: z.strictObject({ ...MfaPolicy.omit({ since: true }).shape, version: optional(z.int().positive()) }),
  reply: MfaPolicyView,
  versioned: true,
}

export const handler = endpoint(mfa.changePolicy, shapes, async ({ body: { version: _, ...policy }, version, ctx }) => {
  const { mfa_policy, _v } = await changeMfaPolicy(ctx, policy, version)
  return tagged({ ...mfa_policy, version: _v }, _v)
})
