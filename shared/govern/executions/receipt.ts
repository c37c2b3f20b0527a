// The receipt of an execution: what was decided, by which policies, and the artifact that proves it.
import * as z from 'zod'
import { Evaluation, unpackEvaluations } from './evaluations.ts'
import { type Execution, RoutingDecision } from './execution.ts'
import type { ExecutionStatus } from './states.ts'

export const Receipt = z.object({
  request_id: z.string(),
  trace_id: z.string(),
  correlation_id: z.string(),
  node_id: z.string(),
  action_id: z.string(),
  version: z.string(),
  /** The credential of the request names the agent. */
  agent_bound: z.boolean(),
  /** The OAuth client through which a person requested it. */
  client_id: z.string().optional(),
  /** The program of the caller, as it calls itself: a claim. */
  client: z.object({ name: z.string(), version: z.string().optional() }).optional(),
  policy_evaluations: z.array(Evaluation),
  routing_decision: RoutingDecision,
  latency_ms: z.int(),
  retries: z.int(),
  policy_set_version: z.string(),
  /** The grant under which it ran without an approval of its own. */
  grant_id: z.string().optional(),
  evidence_artifact_id: z.string().optional(),
  evidence_hash: z.string().optional(),
})

/**
 * Until somebody has decided, nobody learns the opinion of a model: approvers would follow it, and the next model would be
 * trained on what this one thinks.
 */
export const shownEvaluations = <E extends { score?: number | undefined }>(all: readonly E[], decided: boolean): E[] =>
  decided ? [...all] : all.map(({ score: _, ...one }) => one as E)

/** Of the first decision, whatever has happened since. */
export function receiptOf(execution: Execution, status: ExecutionStatus): z.input<typeof Receipt> {
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
    client_id: execution.client_id,
    client: execution.client,
    policy_evaluations: shownEvaluations(unpackEvaluations(evaluations), status !== 'pending_approval'),
    routing_decision,
    latency_ms: execution.latency_ms,
    retries: execution.retries,
    policy_set_version,
    grant_id: execution.grant_id,
    evidence_artifact_id: proof?.artifact_id,
    evidence_hash: proof?.hash,
  }
}

/** The artifact of the first answer: of the request for a held action, of the outcome for one that ran. */
function proofOf({ artifacts, held }: Execution): Execution['artifacts'][number] | undefined {
  const outcome = held ? undefined : artifacts.find(({ type }) => type === 'protocol.executed')
  return outcome ?? artifacts[0]
}
