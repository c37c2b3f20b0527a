import { ExecutionReply } from '../../shared/executions/answer.ts'
import { answerTo, replayExecution } from '../../shared/executions/reply.ts'
import { decideOn } from '../../shared/executions/decide.ts'
import { loadInputs } from '../../shared/executions/inputs.ts'
import { ExecuteBody } from '../../shared/executions/request.ts'
import { submit } from '../../shared/executions/submit.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { protocol } from './routes.ts'

export const shapes = { body: ExecuteBody, reply: ExecutionReply }

/** Runs, holds or refuses an action. */
export const handler = endpoint(
  protocol.execute,
  shapes,
  async ({ body, ctx, governance: inputs }) =>
    answerTo(await submit(ctx, await decideOn(ctx, inputs, body)), inputs.governance),
  { govern: loadInputs, replay: replayExecution },
)
