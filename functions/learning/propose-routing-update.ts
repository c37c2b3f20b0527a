import '../effects.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { findUpdate } from '../../shared/learn/routing/apply-update.ts'
import { RoutingUpdateView, updateView } from '../../shared/learn/routing/list-updates.ts'
import { ProposeBody, proposeUpdate } from '../../shared/learn/routing/propose-update.ts'
import { updateIdOf } from '../../shared/learn/routing/update.ts'
import { learning } from './routes.ts'

export const shapes = { body: ProposeBody, response: RoutingUpdateView }

export const handler = endpoint(
  learning.proposeRoutingUpdate,
  shapes,
  async ({ body: { snapshot_id, ...body }, ctx }) => {
    const evidence = snapshot_id === undefined ? undefined : { snapshot_id }
    const update = await proposeUpdate(ctx, { ...body, evidence, source: 'human' })
    return httpResponse(201, await updateView(ctx, update))
  },
  { replay: async (ctx, id) => httpResponse(201, await updateView(ctx, await findUpdate(ctx, updateIdOf(id)))) },
)
