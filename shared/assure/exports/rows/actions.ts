// The rows of two exports: executions with the content of their receipts, and decided approvals with the artifact that proves each
// decision.
import type * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { unpackEvaluations } from '../../../govern/executions/evaluations.ts'
import { executionsBetween } from '../../../govern/executions/list.ts'
import { type Execution, executions, type RoutingDecision } from '../../../govern/executions/execution.ts'
import { executionEvidence } from '../../../govern/executions/evidence.ts'
import type { RowEvidence } from '../../../ledger/evidence/chain/row-evidence.ts'
import { iso } from '../../../base/lib/clock.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import type { Window } from '../window.ts'
import { type Approval, approvals, statusPartition } from '../../../govern/approvals/approval.ts'
import { type WithEvidence, withEvidenceOf } from '../../../govern/approvals/evidence.ts'
import { APPROVAL_STATUSES } from '../../../govern/approvals/states.ts'
import type { ListSource } from '../../../base/wire/pagination.ts'
import type { Stored } from '../../../base/table/entity.ts'

export const RECEIPT_COLUMNS = [
  'request_id',
  'trace_id',
  'correlation_id',
  'node_id',
  'action_id',
  'version',
  'tier',
  'strategy',
  'status',
  'policy_results',
  'latency_ms',
  'retries',
  'requested_by',
  'agent_id',
  'approval_id',
  'evidence_artifact_id',
  'evidence_hash',
  'created_at',
  'evidence_status',
] as const

export const receiptList = ({ space }: Context, { start_at, end_at }: Window) =>
  executionsBetween(space, Date.parse(start_at), Date.parse(end_at))

export async function receiptRows(ctx: Context, items: readonly Execution[]) {
  const evidence = await executionEvidence(ctx, items)
  return items.map((execution, index) => proven(receiptRow(execution), evidence[index]))
}

/** Members that the evidence contradicts are left out of the row. */
function proven(row: ReturnType<typeof receiptRow>, evidence: RowEvidence | undefined) {
  const { evidence_status = 'differs', contradicted = [] } = evidence ?? {}
  const left = contradicted.flatMap((name) => COLUMNS_OF[name] ?? name)
  return { ...row, evidence_status, ...Object.fromEntries(left.map((name) => [name, null])) }
}

/** Columns with another name than their member. Without the evidence of an execution nothing about it is proven. */
const COLUMNS_OF: Record<string, string[]> = {
  routing_decision: ['tier', 'strategy'],
  policy_evaluations: ['policy_results'],
  evidence: ['status', 'tier', 'strategy', 'policy_results', 'requested_by', 'latency_ms'],
}

function receiptRow(execution: Execution) {
  const { tier, strategy }: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
  const [artifact] = execution.artifacts
  return {
    ...execution,
    request_id: execution.id,
    tier,
    strategy,
    policy_results: unpackEvaluations(execution.evaluations).map(({ policy_id, result }) => ({ policy_id, result })),
    requested_by: execution.requested_by.id,
    approval_id: execution.held?.id,
    evidence_artifact_id: artifact?.artifact_id,
    evidence_hash: artifact?.hash,
    created_at: iso(timeOfId(execution.id)),
  }
}

export const APPROVAL_COLUMNS = [
  'approval_id',
  'request_id',
  'node_id',
  'action_id',
  'tier',
  'requested_by',
  'requested_at',
  'expires_at',
  'decision',
  'decided_by',
  'decided_at',
  'seconds_to_decision',
  'reason',
  'method',
  'sla_status',
  'evidence_artifact_id',
  'evidence_status',
] as const

const DECIDED = APPROVAL_STATUSES.filter((status) => status !== 'pending')

/** The window is that of the request time. Pending approvals are left out. */
export const approvalList = (
  { space }: Context,
  { start_at, end_at }: Window,
): ListSource<Stored<Approval>, Space & { id: string }> => ({
  of: approvals,
  index: 'gsi1',
  descending: false,
  from: start_at,
  to: end_at,
  groups: [{ name: 'decided', partitions: DECIDED.map((status) => statusPartition(space, status)) }],
})

export async function approvalRows(ctx: Context, items: readonly Stored<Approval>[]) {
  const found = await ctx.table.getAll(
    executions,
    items.map(({ request_id }) => ({ ...ctx.space, id: request_id })),
  )
  const byId = new Map(found.map((execution) => [execution.id, execution]))
  const checked = await withEvidenceOf(ctx, items, found)
  return checked.map((approval) => approvalRow(approval, byId.get(approval.request_id)))
}

function approvalRow(approval: WithEvidence, execution: Execution | undefined) {
  const { status, requested_at, decided_at, expires_at } = approval
  const proof = execution?.artifacts.findLast(({ type }) => type === `approval.${status}`)
  return {
    ...approval,
    approval_id: approval.id,
    requested_by: approval.requested_by.id,
    decision: status,
    decided_by: approval.decided_by?.id,
    seconds_to_decision: decided_at && Math.round((Date.parse(decided_at) - Date.parse(requested_at)) / 1_000),
    sla_status: status === 'expired' || (decided_at ?? '') > expires_at ? 'missed' : 'met',
    evidence_artifact_id: proof?.artifact_id,
    ...unproven(approval),
  }
}

/** Members that the evidence contradicts are left out of the row, and so is the decision. */
function unproven({ evidence_status, contradicted = [] }: WithEvidence): Record<string, null> {
  if (evidence_status !== 'differs') return {}
  return Object.fromEntries(['decision', 'sla_status', ...contradicted].map((name) => [name, null]))
}
