// Decided approvals, with the artifact that proves each decision.
import { type Approval, approvals, statusPartition } from '../../govern/approvals/approval.ts'
import { withEvidenceOf, type WithEvidence } from '../../govern/approvals/evidence.ts'
import { APPROVAL_STATUSES } from '../../govern/approvals/states.ts'
import type { Context, Space } from '../../base/context.ts'
import { type Execution, executions } from '../../govern/executions/execution.ts'
import type { ListSource } from '../../base/wire/pagination.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Window } from './window.ts'

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
