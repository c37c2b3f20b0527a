// Renders a stored execution as its answer: as it stands now, or as it was first answered.
import type * as z from 'zod'
import type { Json } from '../../base/lib/canonical-json.ts'
import type { ExecutionView, Receipt } from './answer.ts'
import { unpackEvaluations } from './evaluations.ts'
import type { Execution, RoutingDecision } from './execution.ts'
import type { ExecutionStatus } from './states.ts'

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

/** The body for the present state. */
export const executionView = (execution: Execution, opened: Opened): z.input<typeof ExecutionView> => ({
  ...render(execution, opened, execution.status),
  ...(execution.status === 'pending_approval' && { approval: execution.held }),
  ...(execution.undo && { undo: execution.undo }),
})

/** The body of the first answer, whatever has happened since. */
export function firstExecutionView(execution: Execution, opened: Opened): z.input<typeof ExecutionView> {
  const status = execution.answered ?? execution.status
  const held = execution.first?.held ?? execution.held
  return { ...render(execution, opened, status), ...(status === 'pending_approval' && { approval: held }) }
}

function render(execution: Execution, opened: Opened, status: ExecutionStatus) {
  const receipt = receiptOf(execution)
  const { id, undo_until, task_id } = execution
  return {
    status,
    result: resultOf(execution, opened, status),
    receipt,
    ...(undo_until && { undo_until, undo_url: `/api/v1/protocol/executions/${id}/undo` }),
    ...refusalOf(execution, status),
    ...(task_id && { task_id, execution_id: id, tier: receipt.routing_decision.tier }),
  }
}

function resultOf({ rejection, error, simulated }: Execution, { payload, output }: Opened, status: ExecutionStatus) {
  const hasRun = status === 'executed' || status === 'undone'
  return {
    ...RESULTS[status],
    ...(status === 'rejected' && rejection && { message: 'Rejected by policy.' }),
    ...(hasFailed(status) && error && { message: error.message }),
    payload_echo: payload,
    ...(payload === null && { payload_status: 'erased' as const }),
    ...(hasRun && output !== undefined && { output }),
    ...(hasRun && simulated && { simulated }),
  }
}

const hasFailed = (status: ExecutionStatus) => status === 'failed' || status === 'outcome_unknown'

/** What rejected, failed and unknown outcomes say in the manner of an error. */
function refusalOf({ rejection, error, trace_id }: Execution, status: ExecutionStatus) {
  if (status === 'rejected' && rejection) return { detail: rejection.detail, code: 'policy_rejected' }
  if (!hasFailed(status)) return {}
  return { detail: error?.message ?? RESULTS[status].message, code: 'target_failed', trace_id, error }
}

function receiptOf(execution: Execution): z.input<typeof Receipt> {
  const { version, routing, evaluations, policy_set_version } = execution.first ?? execution
  const routing_decision: z.output<typeof RoutingDecision> = JSON.parse(routing)
  const proof = proofOf(execution)
  return {
    request_id: execution.id,
    trace_id: execution.trace_id,
    correlation_id: execution.correlation_id,
    node_id: execution.node_id,
    action_id: execution.action_id,
    version,
    agent_bound: execution.agent_bound ?? false,
    policy_evaluations: unpackEvaluations(evaluations),
    routing_decision,
    latency_ms: execution.latency_ms,
    retries: execution.retries,
    policy_set_version,
    evidence_artifact_id: proof?.artifact_id,
    evidence_hash: proof?.hash,
  }
}

/** The artifact of the transaction that the first answer reports: the request of what is held, the outcome of what ran. */
function proofOf({ artifacts, held }: Execution): Execution['artifacts'][number] | undefined {
  const outcome = held ? undefined : artifacts.find(({ type }) => type === 'protocol.executed')
  return outcome ?? artifacts[0]
}
