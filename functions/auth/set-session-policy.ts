import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { SessionPolicyView } from '../../shared/identity/tenants/session-policy-view.ts'
import { setSessionPolicy } from '../../shared/identity/tenants/set-session-policy.ts'
import { SessionPolicy } from '../../shared/base/tenant/tenant.ts'
import { auth } from './routes.ts'

export const shapes = {
  /** The whole policy: a missing member gets its default. */
  body: z.strictObject({
    ...SessionPolicy.shape,
    version: optional(z.int().positive()).describe(
      'The version that you want to change. Any other version is answered 409.',
    ),
  }),
  response: SessionPolicyView,
  versioned: true,
}

export const handler = endpoint(auth.setSessionPolicy, shapes, async ({ body, version, ctx }) => {
  const { session_policy, _v } = await setSessionPolicy(ctx, SessionPolicy.parse(body), version)
  return tagged({ ...session_policy, version: _v }, _v)
})
