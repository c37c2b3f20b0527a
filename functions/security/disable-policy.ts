import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { disablePolicy } from '../../shared/govern/policies/save.ts'
import { PolicyView, policyView } from '../../shared/govern/policies/view.ts'
import { security } from './routes.ts'

export const shapes = {
  body: z.strictObject({ version: z.int().positive().optional() }),
  response: PolicyView,
  versioned: true,
}

export const handler = endpoint(security.disablePolicy, shapes, async ({ params, version, ctx }) => {
  const { stored, repeated } = await disablePolicy(ctx, params.policy_id, version)
  return repeated ? unchanged(policyView(stored)) : tagged(policyView(stored), stored.version)
})
