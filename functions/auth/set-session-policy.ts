import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { optional } from '../../shared/http/fields.ts'
import { SessionPolicyView } from '../../shared/tenants/session-policy-view.ts'
import { setSessionPolicy } from '../../shared/tenants/set-session-policy.ts'
import { SessionPolicy } from '../../shared/tenants/tenant.ts'
import { auth } from './routes.ts'

export const shapes = {
  /** Whole: what is left out takes its default. */
  body: z.strictObject({ ...SessionPolicy.shape, version: optional(z.int().positive()) }),
  reply: SessionPolicyView,
  versioned: true,
}

export const handler = endpoint(auth.setSessionPolicy, shapes, async ({ body, version, ctx }) => {
  const { session_policy, _v } = await setSessionPolicy(ctx, SessionPolicy.parse(body), version)
  return tagged({ ...session_policy, version: _v }, _v)
})
