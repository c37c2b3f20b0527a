import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { deleteConnector } from '../../shared/deliver/integrations/delete-connector.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { response: z.undefined() }

export const handler = endpoint(integrations.deleteConnector, shapes, async ({ params, ctx }) => {
  await deleteConnector(ctx, params.id)
  return httpResponse(204, undefined)
})
