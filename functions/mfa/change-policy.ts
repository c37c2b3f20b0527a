import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { changeMfaPolicy } from '../../shared/identity/mfa/change-policy.ts'
import { MfaPolicyView } from '../../shared/identity/mfa/policy.ts'
import { MfaPolicy } from '../../shared/base/tenant/tenant.ts'
import { mfa } from './routes.ts'

export const shapes = {
  /** The whole policy: a missing member gets its default. */
  body: z.strictObject({
    ...MfaPolicy.omit({ since: true }).shape,
    version: optional(z.int().positive()).describe(
      'The version that you want to change. Any other version is answered 409.',
    ),
  }),
  response: MfaPolicyView,
  versioned: true,
}

export const handler = endpoint(mfa.changePolicy, shapes, async ({ body: { version: _, ...policy }, version, ctx }) => {
  const { mfa_policy, _v } = await changeMfaPolicy(ctx, policy, version)
  return tagged({ ...mfa_policy, version: _v }, _v)
})
