import * as z from 'zod'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { startSync, SyncInput } from '../../shared/deliver/integrations/sync/start-sync.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  body: SyncInput,
  response: z.object({
    job_id: z.string().describe('Id of the job that does the work.'),
    connector_id: z.string().describe('Id of the connector.'),
    status: z.literal('queued').describe('The current state.'),
    queued_at: z.string().describe('When it was requested.'),
  }),
}

export const handler = endpoint(integrations.sync, shapes, async ({ params, body, ctx }) => {
  const { id: job_id, connector_id, queued_at } = await startSync(ctx, params.id, body)
  const Location = `/api/v1/integration-fabric/connectors/${connector_id}/sync/${job_id}`
  return httpResponse(202, { job_id, connector_id, status: 'queued' as const, queued_at }, { Location })
})
