import { AgentApproveBody, approveTask, replayTask } from '../../shared/agent/approve-task.ts'
import { ExecutionReply } from '../../shared/executions/answer.ts'
import { activeGovernance } from '../../shared/governance/active.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agent } from './routes.ts'

export const shapes = { body: AgentApproveBody, reply: ExecutionReply }

/** Approves a HARD task, with all rules of an approval. */
export const handler = endpoint(
  agent.approve,
  shapes,
  ({ params, body, ctx, governance }) => approveTask(ctx, governance, params.task_id, body.reason),
  { govern: activeGovernance, replay: replayTask },
)
