// An execution as lists show it.
import * as z from 'zod'
import { Execution } from './execution.ts'

export const ExecutionRowView = Execution.unwrap()
  .pick({
    status: true,
    node_id: true,
    action_id: true,
    version: true,
    requested_by: true,
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
