import '../effects.ts'
import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { applyUpdate, findUpdate } from '../../shared/learn/routing/apply-update.ts'
import { RoutingUpdateView, updateView } from '../../shared/learn/routing/list-updates.ts'
import { learning } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: RoutingUpdateView }

export const handler = endpoint(
  learning.applyRoutingUpdate,
  shapes,
  async ({ params, ctx }) => updateView(ctx, await applyUpdate(ctx, params.id)),
  { replay: async (ctx, id) => httpResponse(200, await updateView(ctx, await findUpdate(ctx, id))) },
)
