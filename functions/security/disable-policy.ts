import '../effects.ts'
import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { disablePolicy } from '../../shared/govern/policies/save.ts'
import { PolicyView, policyView } from '../../shared/govern/policies/view.ts'
import { isWaiting, WaitingChange, waitingResponse } from '../../shared/govern/protocol/loosen.ts'
import { security } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    version: z
      .int()
      .positive()
      .optional()
      .describe('The version that you want to change. Any other version is answered 409.'),
  }),
  response: z.union([PolicyView, WaitingChange]),
  versioned: true,
}

export const handler = endpoint(security.disablePolicy, shapes, async ({ params, version, ctx }) => {
  const made = await disablePolicy(ctx, params.policy_id, version)
  if (isWaiting(made)) return waitingResponse(made)
  const { stored, repeated } = made
  return repeated ? unchanged(policyView(stored)) : tagged(policyView(stored), stored.version)
})
