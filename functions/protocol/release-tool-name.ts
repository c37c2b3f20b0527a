import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { releaseName } from '../../shared/govern/manifests/tool-name.ts'
import { protocol } from './routes.ts'

export const shapes = { response: z.undefined() }

/** Gives the name of a tool back, so that the next action may take it. */
export const handler = endpoint(protocol.releaseToolName, shapes, async ({ params, ctx }) => {
  await releaseName(ctx, params.tool_name)
  return httpResponse(204, undefined)
})
