import '../effects.ts'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { ExecuteBody, executionResponse, replayExecution } from '../../shared/govern/executions/request.ts'
import { decideOn } from '../../shared/govern/protocol/decide.ts'
import { loadInputs } from '../../shared/govern/executions/inputs.ts'
import { submit } from '../../shared/govern/protocol/submit.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = { body: ExecuteBody, response: ExecutionView }

/** Runs, holds or refuses an action. */
export const handler = endpoint(
  protocol.execute,
  shapes,
  async ({ body, ctx, governance: inputs }) =>
    executionResponse(await submit(ctx, await decideOn(ctx, inputs, body)), inputs.governance),
  { govern: loadInputs, replay: replayExecution },
)
