import * as z from 'zod'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { assignName } from '../../shared/govern/manifests/tool-name.ts'
import { protocol } from './routes.ts'

const action = {
  node_id: z.string().min(1).max(128).describe('Id of the node.'),
  action_id: z.string().min(1).max(128).describe('Id of the action in its manifest.'),
}

export const shapes = {
  body: z.strictObject(action),
  response: z.object({ name: z.string().describe('The name of the tool.'), ...action }),
}

/** Gives the name of a tool to an action. */
export const handler = endpoint(protocol.assignToolName, shapes, async ({ params, body, ctx }) => {
  const named = { name: params.tool_name, ...body }
  const { repeated } = await assignName(ctx, named)
  return repeated ? unchanged(named) : named
})
