import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { LiftFreezeBody, liftFreeze } from '../../shared/govern/freezes/lift.ts'
import { FreezeView, freezeView } from '../../shared/govern/freezes/view.ts'
import { security } from './routes.ts'

export const shapes = { body: LiftFreezeBody, response: FreezeView }

/** Lifts a freeze; what waited goes on. */
export const handler = endpoint(security.liftFreeze, shapes, async ({ params, body, ctx }) => {
  const { freeze, repeated } = await liftFreeze(ctx, params.freeze_id, body.reason)
  const view = await freezeView(ctx, freeze)
  return repeated ? unchanged(view) : view
})
