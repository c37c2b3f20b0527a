import '../effects.ts'
import { AgentExecuteBody, commandInputs, decideOnCommand } from '../../shared/govern/agent/command.ts'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { executionResponse, replayExecution } from '../../shared/govern/executions/request.ts'
import { submit } from '../../shared/govern/protocol/submit.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { agent } from './routes.ts'

export const shapes = { body: AgentExecuteBody, response: ExecutionView }

/** Governs a command of an agent like any action. The command is data: it never reaches a shell or an evaluator. */
export const handler = endpoint(
  agent.execute,
  shapes,
  async ({ body, ctx, governance: inputs }) =>
    executionResponse(await submit(ctx, await decideOnCommand(ctx, inputs, body)), inputs.governance),
  { govern: commandInputs, replay: replayExecution },
)
