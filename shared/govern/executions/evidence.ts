// Compares executions with their artifacts before they are shown. The comparison itself is pure, so that views, exports and verification
// use the same rule.
import type * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { readReferencedArtifacts } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { alarmDiffering, type RowEvidence, rowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import type { Execution, RoutingDecision } from './execution.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { unpackEvaluations } from './evaluations.ts'
import type { ExecutionStatus } from './states.ts'

/** Whether each execution agrees with its evidence, in the same order. */
export async function executionEvidence(ctx: Context, executions: readonly Execution[]): Promise<RowEvidence[]> {
  const referenced = await readReferencedArtifacts(ctx, executions)
  const rows = executions.map((execution) => ({
    referenced: referenced.get(execution.id) ?? [],
    contradictions: (headers: Parameters<typeof contradictionsOf>[1]) => contradictionsOf(execution, headers),
  }))
  const evidence = await rowEvidence(ctx, rows)
  for (const [index, { id }] of executions.entries()) alarmDiffering(id, evidence[index])
  return evidence
}

/** The types that the last artifact of a change of state can have. */
export const MOVED_BY: Record<ExecutionStatus, readonly string[]> = {
  submitted: ['action.requested'],
  pending_approval: ['action.requested', 'approval.cancelled'],
  approved: ['approval.approved'],
  executing: ['action.requested', 'execution.started'],
  executed: ['protocol.executed', 'execution.outcome_reported'],
  failed: ['protocol.executed', 'execution.outcome_reported'],
  outcome_unknown: ['protocol.executed'],
  undone: ['execution.undone'],
  rejected: ['action.rejected', 'approval.rejected', 'approval.cancelled'],
  expired: ['approval.expired'],
  cancelled: ['approval.cancelled'],
}
const MOVES = new Set(Object.values(MOVED_BY).flat())

const OUTCOMES: Partial<Record<ExecutionStatus, Header['outcome']>> = {
  executed: 'succeeded',
  failed: 'failed',
  outcome_unknown: 'unknown',
  undone: 'undone',
}

/** Names of the members that the artifacts contradict or do not prove. `headers`: of all artifacts of the execution, oldest first. */
export const contradictionsOf = (execution: Execution, headers: readonly Partial<Header>[]): string[] => [
  ...ofRequest(execution, headers[0] ?? {}),
  ...ofState(execution, headers),
]

/** Compared with the first artifact, which records the first decision. */
function ofRequest(execution: Execution, header: Partial<Header>): string[] {
  const first = execution.first ?? execution
  const { actor, decision, approval } = header
  const { tier, kind, risk, strategy, reasons }: z.output<typeof RoutingDecision> = JSON.parse(first.routing)
  const signals = reasons.map(({ signal }) => signal)
  const results = unpackEvaluations(first.evaluations).map(({ policy_id, result }) => ({ policy_id, result }))
  const notPassed = results.filter(({ result }) => result !== 'pass')
  const facts: Record<string, [row: unknown, artifact: unknown]> = {
    requested_by: [execution.requested_by, actor && { type: actor.kind, id: actor.id }],
    trace_id: [execution.trace_id, header.trace_id],
    correlation_id: [header.correlation_id && execution.correlation_id, header.correlation_id],
    agent_id: [execution.agent_id, header.agent_id],
    client_id: [execution.client_id, header.data?.client_id],
    node_id: [execution.node_id, header.node_id],
    action_id: [execution.action_id, header.action_id],
    version: [first.version, header.version],
    grant_id: [execution.grant_id, header.data?.grant_id],
    approval_id: [first.held?.id, approval?.id],
    routing_decision: [
      { tier, kind, risk, strategy, reasons: signals },
      decision && { ...decision, policy_set_version: undefined },
    ],
    policy_set_version: [first.policy_set_version.replace('sha256:', ''), decision?.policy_set_version],
    policy_evaluations: [
      [notPassed, results.length - notPassed.length],
      [header.policy_evaluations ?? [], header.policies_passed],
    ],
    payload_commitment: [execution.payload_commitment, header.payload_commitment],
  }
  return Object.keys(facts).filter(
    (name) => canonicalJson(facts[name]?.[0] ?? null) !== canonicalJson(facts[name]?.[1] ?? null),
  )
}

function ofState(execution: Execution, headers: readonly Partial<Header>[]): string[] {
  const { status, latency_ms, retries, held } = execution
  const last = headers.findLast(({ type = '' }) => MOVES.has(type))
  const moved = MOVED_BY[status].includes(last?.type ?? '') && OUTCOMES[status] === last?.outcome
  const ran = headers.find(({ type }) => type === 'protocol.executed')
  return [
    ...(moved ? [] : ['status']),
    ...((ran?.latency_ms ?? latency_ms) === latency_ms ? [] : ['latency_ms']),
    // A held action was answered before it ran, and a receipt never changes.
    ...(held || (ran?.retries ?? retries) === retries ? [] : ['retries']),
  ]
}
