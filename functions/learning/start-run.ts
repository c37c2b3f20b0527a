import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { findRun, RunView } from '../../shared/learn/pipeline/run.ts'
import { StartBody, startRun } from '../../shared/learn/pipeline/start-run.ts'
import { learning } from './routes.ts'

export const shapes = { body: StartBody, response: RunView }

export const handler = endpoint(
  learning.startRun,
  shapes,
  async ({ body, ctx }) => httpResponse(202, await startRun(ctx, body)),
  { replay: async (ctx, id) => httpResponse(202, await findRun(ctx, id)) },
)
