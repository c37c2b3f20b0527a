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
    request_id: z.string(),
    tier: z.string(),
    kind: z.string(),
    approval_id: z.string().optional(),
    evidence_artifact_id: z.string().optional(),
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
