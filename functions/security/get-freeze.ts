import { endpoint } from '../../shared/edge/endpoint.ts'
import { findFreeze } from '../../shared/govern/freezes/freeze.ts'
import { FreezeView, freezeView } from '../../shared/govern/freezes/view.ts'
import { security } from './routes.ts'

export const shapes = { response: FreezeView }

export const handler = endpoint(security.getFreeze, shapes, async ({ params, ctx }) =>
  freezeView(ctx, await findFreeze(ctx.table, ctx.space, params.freeze_id)),
)
