// The answer to an execution request (governance.md, section 10): one shape for the first answer, for its repetition and
// for every later look.
import * as z from 'zod'
import { RowEvidence } from '../../ledger/evidence/artifact/row-evidence.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { Evaluation } from './evaluations.ts'
import { ExecutionError, Held, RoutingDecision } from './execution.ts'
import { EXECUTION_STATUSES } from './states.ts'

export const Receipt = z.object({
  request_id: z.string(),
  trace_id: z.string(),
  correlation_id: z.string(),
  node_id: z.string(),
  action_id: z.string(),
  version: z.string(),
  /** An agent is bound to the credential that asked. */
  agent_bound: z.boolean(),
  policy_evaluations: z.array(Evaluation),
  routing_decision: RoutingDecision,
  latency_ms: z.int(),
  retries: z.int(),
  policy_set_version: z.string(),
  evidence_artifact_id: z.string().optional(),
  evidence_hash: z.string().optional(),
})

export const ExecutionView = z.object({
  status: z.enum(EXECUTION_STATUSES),
  result: z.object({
    status: z.string(),
    message: z.string(),
    payload_echo: freeForm.nullable(),
    payload_status: z.enum(['sealed', 'erased']).optional(),
    output: z.unknown().optional(),
    simulated: z.literal(true).optional(),
  }),
  receipt: Receipt,
  approval: Held.optional(),
  undo_until: z.string().optional(),
  undo_url: z.string().optional(),
  undo: z
    .object({
      state: z.string(),
      action_id: z.string().optional(),
      request_id: z.string().optional(),
      by: z.string(),
      at: z.string(),
      reason: z.string().optional(),
    })
    .optional(),
  evidence: z
    .array(z.object({ artifact_id: z.string(), type: z.string(), hash: z.string(), at: z.string() }))
    .optional(),
  /** Only where the evidence says something else than what is shown. */
  ...RowEvidence.partial().shape,
  detail: z.string().optional(),
  code: z.string().optional(),
  trace_id: z.string().optional(),
  error: ExecutionError.pick({ code: true, http_status: true }).optional(),
  task_id: z.string().optional(),
  execution_id: z.string().optional(),
  tier: z.string().optional(),
})
export type ExecutionView = z.input<typeof ExecutionView>
