import { type CheckRun, findRun, RunView, runView } from '../../shared/assure/checks/run.ts'
import { StartRunBody, startRun } from '../../shared/assure/checks/start-run.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { compliance } from './routes.ts'

export const shapes = { body: StartRunBody, response: RunView }

const accepted = (run: CheckRun) =>
  httpResponse(202, runView(run), { Location: `/api/v1/compliance/tenants/${run.tenant_id}/runs/${run.id}` })

export const handler = endpoint(
  compliance.startRun,
  shapes,
  async ({ body, ctx }) => accepted(await startRun(ctx, body)),
  { replay: async (ctx, id) => accepted(await findRun(ctx, id)) },
)
