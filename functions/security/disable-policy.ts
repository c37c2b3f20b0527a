import * as z from 'zod'
import { answer, unchanged } from '../../shared/http/call.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { disablePolicy } from '../../shared/policies/save.ts'
import { PolicyView, viewOf } from '../../shared/policies/view.ts'
import { security } from './routes.ts'

export const shapes = { body: z.strictObject({}), reply: PolicyView }

export const handler = endpoint(security.disablePolicy, shapes, async ({ params, ctx }) => {
  const { stored, repeated } = await disablePolicy(ctx, params.policy_id)
  return repeated ? unchanged(viewOf(stored)) : answer(200, viewOf(stored))
})
