import '../effects.ts'
import { AgentApproveBody, approveTask, loadTask, replayTask } from '../../shared/govern/agent/approve-task.ts'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { ExecutionView } from '../../shared/govern/executions/execution-view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { agent } from './routes.ts'

export const shapes = { body: AgentApproveBody, response: ExecutionView }

/** Approves a HARD task, with all rules of an approval. */
export const handler = endpoint(
  agent.approve,
  shapes,
  ({ body, ctx, governance }) => approveTask(ctx, governance, body),
  { govern: loadTask, replay: replayTask, protect: textSeal('body') },
)
