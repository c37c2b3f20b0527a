// Artifact facts and events of the first transaction of an execution, whatever its outcome.
import type { EventDraft } from '../../ledger/events/event.ts'
import type { ArtifactFacts } from '../../ledger/evidence/artifact/artifact.ts'
import { approvedEvent, submittedEvents, taskEvents, type EventFacts, violationEvents } from './events.ts'
import type { Execution } from './execution.ts'
import type { Submission } from './submission.ts'

/** Facts of the artifact of a decision, beyond those of every artifact of an execution. */
export function decisionFacts(submission: Submission, draft: Execution) {
  const { decision, decision_contract_id, policy_set_version, task } = submission
  const { tier, kind, risk, strategy, reasons } = decision.routing_decision
  const notPassed = decision.policy_evaluations.filter(({ result }) => result !== 'pass')
  return {
    decision_contract_id,
    decision: {
      tier,
      kind,
      risk,
      strategy,
      reasons: reasons.map(({ signal }) => signal),
      policy_set_version: policy_set_version.replace('sha256:', ''),
    },
    ...(notPassed.length > 0 && {
      policy_evaluations: notPassed.map(({ policy_id, result }) => ({ policy_id, result })),
    }),
    policies_passed: decision.policy_evaluations.length - notPassed.length,
    payload_commitment: draft.payload_commitment,
    ...((draft.agent_id ?? draft.client_id ?? draft.client ?? draft.undo_of ?? draft.grant_id ?? task) && {
      data: dataOf(draft, task?.id),
    }),
  } satisfies Partial<ArtifactFacts>
}

const dataOf = (
  { agent_id, agent_bound, client_id, client, undo_of, grant_id }: Execution,
  task_id: string | undefined,
) => ({
  ...(agent_id && { agent_bound: agent_bound ?? false }),
  ...(client_id && { client_id }),
  ...(client && { client }),
  ...(undo_of && { undo_of }),
  ...(grant_id && { grant_id }),
  ...(task_id && { task_id }),
})

export const eventFacts = (submission: Submission, execution: Execution): EventFacts => ({
  execution,
  routing: submission.decision.routing_decision,
})

/** The events before an effect: submitted, violated policies, and for SOFT the automatic approval. */
export function firstEvents({ decision, command_sha256 }: Submission, facts: EventFacts): EventDraft[] {
  const soft = decision.outcome === 'run' && decision.tier === 'SOFT'
  return [
    ...taskEvents(facts, command_sha256),
    ...submittedEvents(facts),
    ...violationEvents(facts, decision.fired),
    ...(soft ? [approvedEvent(facts, 'system', 'automatic')] : []),
  ]
}
