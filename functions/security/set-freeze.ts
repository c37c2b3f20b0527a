import { endpoint } from '../../shared/edge/endpoint.ts'
import { SetFreezeBody, setFreeze } from '../../shared/govern/freezes/set.ts'
import { FreezeView, freezeView } from '../../shared/govern/freezes/view.ts'
import { security } from './routes.ts'

export const shapes = { body: SetFreezeBody, response: FreezeView }

/** Freezes actions at once. */
export const handler = endpoint(security.setFreeze, shapes, async ({ body, ctx }) =>
  freezeView(ctx, await setFreeze(ctx, body)),
)
