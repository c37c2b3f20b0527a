// The body that answers an execution request, its repetition and every later reading: the present state, or the state of
// the first answer.
import * as z from 'zod'
import type { Json } from '../../base/lib/canonical-json.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { isFreeze } from '../governance/freeze.ts'
import { REFUSED_BEFORE } from '../governance/refusals.ts'
import { type Execution, ExecutionError, HeldView } from './execution.ts'
import { Receipt, receiptOf } from './receipt.ts'
import { EXECUTION_STATUSES, type ExecutionStatus } from './states.ts'

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
  approval: HeldView.optional(),
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
  /** How its requester, or an approver, said that it ended. */
  report: z
    .object({
      outcome: z.enum(['succeeded', 'failed']),
      by: z.object({ type: z.string(), id: z.string() }),
      at: z.string(),
      note: z.string().optional(),
    })
    .optional(),
  evidence: z
    .array(z.object({ artifact_id: z.string(), type: z.string(), hash: z.string(), at: z.string() }))
    .optional(),
  /** Present only when the evidence contradicts the execution. */
  ...RowEvidence.partial().shape,
  detail: z.string().optional(),
  code: z.string().optional(),
  trace_id: z.string().optional(),
  error: ExecutionError.pick({ code: true, http_status: true }).optional(),
  /** An equal request of the caller waits already, and this is that one. */
  repeated: z.literal(true).optional(),
  task_id: z.string().optional(),
  execution_id: z.string().optional(),
  tier: z.string().optional(),
})
export type ExecutionView = z.input<typeof ExecutionView>

/** The sealed parts of an execution in clear. `payload` is null once it is erased. */
export type Opened = { payload: { [key: string]: Json | undefined } | null; output?: Json | undefined; note?: string }

const RESULTS: Record<ExecutionStatus, { status: string; message: string }> = {
  submitted: { status: 'submitted', message: 'Action submitted.' },
  executing: { status: 'running', message: 'The target is being called.' },
  executed: { status: 'completed', message: 'Action executed.' },
  pending_approval: { status: 'queued', message: 'Waiting for approval.' },
  approved: { status: 'queued', message: 'Approved and about to run.' },
  rejected: { status: 'rejected', message: 'Rejected.' },
  expired: { status: 'rejected', message: 'The approval expired.' },
  cancelled: { status: 'rejected', message: 'Cancelled.' },
  failed: { status: 'failed', message: 'The action failed.' },
  outcome_unknown: { status: 'unknown', message: 'The outcome is not known.' },
  undone: { status: 'undone', message: 'Action undone.' },
}

/** The body of the present state. */
export const executionView = (execution: Execution, opened: Opened): z.input<typeof ExecutionView> => ({
  ...viewOf(execution, opened, execution.status),
  ...(execution.status === 'pending_approval' && { approval: execution.held }),
  ...(execution.undo && { undo: execution.undo }),
  ...(execution.report && { report: { ...execution.report, note: opened.note } }),
})

/** The body of the first answer, whatever has happened since. */
export function firstExecutionView(execution: Execution, opened: Opened): z.input<typeof ExecutionView> {
  const status = execution.answered ?? execution.status
  const held = execution.first?.held ?? execution.held
  return { ...viewOf(execution, opened, status), ...(status === 'pending_approval' && { approval: held }) }
}

function viewOf(execution: Execution, opened: Opened, status: ExecutionStatus) {
  const receipt = receiptOf(execution, status)
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

function resultOf(
  { rejection, error, simulated, undo }: Execution,
  { payload, output }: Opened,
  status: ExecutionStatus,
) {
  const hasRun = status === 'executed' || status === 'undone'
  return {
    ...RESULTS[status],
    ...(status === 'rejected' && rejection && { message: 'Rejected by policy.' }),
    ...(status === 'undone' && undo?.state === 'marked' && { message: 'Marked as undone. Nothing was called.' }),
    ...(hasFailed(status) && error && { message: error.message }),
    payload_echo: payload,
    ...(payload === null && { payload_status: 'erased' as const }),
    ...(hasRun && output !== undefined && { output }),
    ...(hasRun && simulated && { simulated }),
  }
}

/** What a freeze or an earlier rejection stopped may be requested again when that is over; what a policy rejected may not. */
export function refusalCode(rejection: Execution['rejection']): 'frozen' | 'refused_before' | 'policy_rejected' {
  if (rejection && isFreeze(rejection)) return 'frozen'
  return rejection?.policy_id === REFUSED_BEFORE ? 'refused_before' : 'policy_rejected'
}

const hasFailed = (status: ExecutionStatus) => status === 'failed' || status === 'outcome_unknown'

/** The members of an error body, for executions that were rejected, failed or have an unknown outcome. */
function refusalOf({ rejection, error, trace_id }: Execution, status: ExecutionStatus) {
  if (status === 'rejected' && rejection) return { detail: rejection.detail, code: refusalCode(rejection) }
  if (!hasFailed(status)) return {}
  return { detail: error?.message ?? RESULTS[status].message, code: 'target_failed', trace_id, error }
}
