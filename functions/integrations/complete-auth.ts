import * as z from 'zod'
import { connect } from '../../shared/deliver/integrations/connect.ts'
import { Credentials } from '../../shared/deliver/integrations/credentials.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: z.strictObject({ credentials: Credentials }),
  response: z.object({
    connector_id: z.string(),
    status: z.literal('active'),
    connection_id: z.string(),
    connected_at: z.string(),
  }),
}

export const handler = endpoint(integrations.completeAuth, shapes, async ({ params, body, ctx }) => {
  const { connector_id, id, connected_at } = await connect(ctx, params.id, body.credentials)
  return { connector_id, status: 'active' as const, connection_id: id, connected_at }
})
