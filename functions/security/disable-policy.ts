import * as z from 'zod'
import { unchanged } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { tagged } from '../../shared/http/etag.ts'
import { disablePolicy } from '../../shared/policies/save.ts'
import { PolicyView, viewOf } from '../../shared/policies/view.ts'
import { security } from './routes.ts'

export const shapes = {
  body: z.strictObject({ version: z.int().positive().optional() }),
  reply: PolicyView,
  versioned: true,
}

export const handler = endpoint(security.disablePolicy, shapes, async ({ params, version, ctx }) => {
  const { stored, repeated } = await disablePolicy(ctx, params.policy_id, version)
  return repeated ? unchanged(viewOf(stored)) : tagged(viewOf(stored), stored.version)
})
