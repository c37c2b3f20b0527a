// An execution in a list.
import * as z from 'zod'
import { Execution, type RoutingDecision } from './execution.ts'

export const ExecutionRowView = Execution.unwrap()
  .pick({
    status: true,
    node_id: true,
    action_id: true,
    version: true,
    requested_by: true,
    client_id: true,
    agent_id: true,
    agent_bound: true,
    executed_at: true,
    undo_until: true,
  })
  .extend({
    request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
    tier: z.string().describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
    kind: z.string().describe('The kind of the action.'),
    approval_id: z.string().optional().describe('Id of the approval.'),
    evidence_artifact_id: z.string().optional().describe('Id of the artifact that proves it.'),
  })

export function executionRowView(execution: Execution): z.input<typeof ExecutionRowView> {
  const { tier, kind }: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
  return {
    ...execution,
    request_id: execution.id,
    tier,
    kind,
    approval_id: execution.held?.id,
    evidence_artifact_id: execution.artifacts[0]?.artifact_id,
  }
}
