// The receipt of an execution: what was decided, by which policies, and the artifact that proves it.
import * as z from 'zod'
import { Evaluation, unpackEvaluations } from './evaluations.ts'
import { type Execution, RoutingDecision } from './execution.ts'
import type { ExecutionStatus } from './states.ts'

export const Receipt = z.object({
  request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
  trace_id: z.string().describe('Id of the trace (W3C Trace Context).'),
  correlation_id: z.string().describe('The `X-Correlation-Id` of the request, or else the request id.'),
  node_id: z.string().describe('Id of the node.'),
  action_id: z.string().describe('Id of the action in its manifest.'),
  version: z.string().describe('Version of the manifest.'),
  /** The credential of the request names the agent. */
  agent_bound: z
    .boolean()
    .describe('Whether the agent is bound to the credential. An agent that is only stated never loosens a decision.'),
  client_id: z.string().optional().describe('The OAuth client through which a person requested the action.'),
  /** The program of the caller, as it calls itself: a claim. */
  client: z
    .object({
      name: z.string().describe('A name for people.'),
      version: z.string().optional().describe('Its version, a claim as well.'),
    })
    .optional()
    .describe('The program of the caller, as it calls itself: a claim.'),
  policy_evaluations: z.array(Evaluation).describe('The result of each policy in scope.'),
  routing_decision: RoutingDecision.describe('How the tier was determined.'),
  latency_ms: z.int().describe('How long it took, in ms.'),
  retries: z.int().describe('How often the decision was repeated because of a concurrent change.'),
  policy_set_version: z.string().describe('The version of the policy set and settings that decided.'),
  /** The grant under which it ran without an approval of its own. */
  grant_id: z.string().optional().describe('The grant that lets the same action run without an approval of its own.'),
  evidence_artifact_id: z.string().optional().describe('Id of the artifact that proves it.'),
  evidence_hash: z.string().optional().describe('Hash of the artifact, hex.'),
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
