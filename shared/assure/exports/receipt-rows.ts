// The rows of an export of executions, with the content of their receipts.
import type * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { unpackEvaluations } from '../../govern/executions/evaluations.ts'
import { executionsBetween } from '../../govern/executions/list.ts'
import type { Execution, RoutingDecision } from '../../govern/executions/execution.ts'
import { executionEvidence } from '../../govern/executions/evidence.ts'
import type { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { Window } from './window.ts'

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
