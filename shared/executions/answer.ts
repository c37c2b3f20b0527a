// The answer to an execution request, rendered from the stored execution: the same body for the first answer, for its
// repetition and for every later look (governance.md, section 10).
import * as z from 'zod'
import { freeForm } from '../http/fields.ts'
import type { Json } from '../lib/canonical-json.ts'
import { unpackEvaluations } from './evaluations.ts'
import { Evaluation, ExecutionError, type Execution, Held, RoutingDecision } from './execution.ts'
import { EXECUTION_STATUSES, type ExecutionStatus } from './states.ts'

export const Receipt = z.object({
  request_id: z.string(),
  trace_id: z.string(),
  correlation_id: z.string(),
  node_id: z.string(),
  action_id: z.string(),
  version: z.string(),
  policy_evaluations: z.array(Evaluation),
  routing_decision: RoutingDecision,
  latency_ms: z.int(),
  retries: z.int(),
  policy_set_version: z.string(),
  evidence_artifact_id: z.string().optional(),
  evidence_hash: z.string().optional(),
})

export const ExecutionReply = z.object({
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
    })
    .optional(),
  evidence: z
    .array(z.object({ artifact_id: z.string(), type: z.string(), hash: z.string(), at: z.string() }))
    .optional(),
  detail: z.string().optional(),
  code: z.string().optional(),
  trace_id: z.string().optional(),
  error: ExecutionError.pick({ code: true, http_status: true }).optional(),
  task_id: z.string().optional(),
  execution_id: z.string().optional(),
  tier: z.string().optional(),
})
export type ExecutionReply = z.input<typeof ExecutionReply>

/** What an execution carries only sealed. `payload` is null once it is erased. */
export type Opened = { payload: { [key: string]: Json | undefined } | null; output?: Json | undefined }

const RESULTS: Record<ExecutionStatus, { status: string; message: string }> = {
  submitted: { status: 'submitted', message: 'Action submitted.' },
  executing: { status: 'running', message: 'The target is being called.' },
  executed: { status: 'completed', message: 'Action executed.' },
  pending_approval: { status: 'queued', message: 'Waiting for approval.' },
  approved: { status: 'queued', message: 'Approved, about to run.' },
  rejected: { status: 'rejected', message: 'Rejected.' },
  expired: { status: 'rejected', message: 'The approval expired.' },
  cancelled: { status: 'rejected', message: 'Cancelled.' },
  failed: { status: 'failed', message: 'The action failed.' },
  outcome_unknown: { status: 'unknown', message: 'The outcome is not known.' },
  undone: { status: 'undone', message: 'Action undone.' },
}

const HTTP_STATUS: Partial<Record<ExecutionStatus, number>> = {
  pending_approval: 202,
  rejected: 403,
  failed: 502,
  outcome_unknown: 502,
}

/** The status code of an execution's own answer. Looking at it later is always a 200. */
export const httpStatusOf = (status: ExecutionStatus): number => HTTP_STATUS[status] ?? 200

/** The body for an execution in the given status: its present one, or the one of its first answer. */
export function renderExecution(
  execution: Execution,
  opened: Opened,
  status: ExecutionStatus = execution.status,
): ExecutionReply {
  const { routing, error, held, id } = execution
  const message = error && (status === 'failed' || status === 'outcome_unknown') ? error.message : undefined
  const hasRun = status === 'executed' || status === 'undone'
  const routing_decision: z.output<typeof RoutingDecision> = JSON.parse(routing)
  return {
    status,
    result: {
      ...RESULTS[status],
      ...(message && { message }),
      ...(status === 'rejected' && execution.rejection && { message: 'Rejected by policy.' }),
      payload_echo: opened.payload,
      ...(opened.payload === null && { payload_status: 'erased' as const }),
      ...(opened.output !== undefined && hasRun && { output: opened.output }),
      ...(execution.simulated && hasRun && { simulated: true as const }),
    },
    receipt: receiptOf(execution, routing_decision),
    ...(held && status === 'pending_approval' && { approval: held }),
    ...(execution.undo_until && {
      undo_until: execution.undo_until,
      undo_url: `/api/v1/protocol/executions/${id}/undo`,
    }),
    ...(execution.undo && status === execution.status && { undo: execution.undo }),
    ...refusalOf(execution, status, message),
    ...(execution.task_id && {
      task_id: execution.task_id,
      execution_id: id,
      tier: routing_decision.tier,
    }),
  }
}

/** What rejected, failed and unknown outcomes say in the manner of an error. */
function refusalOf({ rejection, error, trace_id }: Execution, status: ExecutionStatus, message = 'The action failed.') {
  if (status === 'rejected' && rejection) return { detail: rejection.detail, code: 'policy_rejected' }
  if (status !== 'failed' && status !== 'outcome_unknown') return {}
  return { detail: message, code: 'target_failed', trace_id, ...(error && { error }) }
}

function receiptOf(execution: Execution, routing_decision: z.output<typeof RoutingDecision>) {
  const [evidence] = execution.artifacts
  return {
    request_id: execution.id,
    trace_id: execution.trace_id,
    correlation_id: execution.correlation_id,
    node_id: execution.node_id,
    action_id: execution.action_id,
    version: execution.version,
    policy_evaluations: unpackEvaluations(execution.evaluations),
    routing_decision,
    latency_ms: execution.latency_ms,
    retries: execution.retries,
    policy_set_version: execution.policy_set_version,
    ...(evidence && { evidence_artifact_id: evidence.artifact_id, evidence_hash: evidence.hash }),
  }
}
