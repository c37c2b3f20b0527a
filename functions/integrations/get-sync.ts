import { findSync, SyncView, syncView } from '../../shared/deliver/integrations/sync/job.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = { response: SyncView }

export const handler = endpoint(integrations.getSync, shapes, async ({ params, ctx }) =>
  syncView(await findSync(ctx, params.id, params.job_id), ctx.now()),
)
