import { findRun, RunView, runView } from '../../shared/assure/checks/run.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { response: RunView }

export const handler = endpoint(compliance.getRun, shapes, async ({ params, ctx }) =>
  runView(await findRun(ctx, params.run_id)),
)
