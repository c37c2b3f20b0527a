// Which events a transition of an execution tells, in the order of governance.md, section 7. `evidence.emitted` comes
// before all of them and is added where the artifact is recorded.
import type * as z from 'zod'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { Fired } from '../governance/evaluate.ts'
import type { Execution, RoutingDecision } from './execution.ts'

/** An execution with its routing decision read. */
export type EventFacts = { execution: Execution; routing: z.output<typeof RoutingDecision> }

/** The agent of an execution: the bound one, else a credential that has no person in front of it. */
export const agentOf = ({ agent_id, requested_by }: Pick<Execution, 'agent_id' | 'requested_by'>): string | null =>
  agent_id ?? (requested_by.type === 'user' || requested_by.type === 'system' ? null : requested_by.id)

/** Transitions of one execution differ in their number of artifacts. */
export const subjectOf = ({ execution }: EventFacts) => ({ id: execution.id, version: execution.artifacts.length })
export const actionOf = ({ execution }: EventFacts) => ({
  request_id: execution.id,
  node_id: execution.node_id,
  action_id: execution.action_id,
})

/** A command of an agent was taken on as a task. */
export function taskEvents(told: EventFacts, command_sha256: string | undefined): EventDraft[] {
  const { execution, routing } = told
  if (!command_sha256 || !execution.task_id) return []
  const agent_id = agentOf(execution) ?? execution.requested_by.id
  const { task_id, id: request_id } = execution
  const data = { agent_id, task_id, request_id, tier: routing.tier, command_sha256 }
  return [{ type: 'agent.executed', subject: subjectOf(told), data }]
}

/** An action was submitted, and by an agent where there is one. */
export function submittedEvents(told: EventFacts): EventDraft[] {
  const { execution, routing } = told
  const agent_id = agentOf(execution)
  const subject = subjectOf(told)
  const requested: EventDraft = {
    type: 'action.requested',
    subject,
    data: {
      ...actionOf(told),
      action_type: routing.kind,
      requested_by: execution.requested_by.id,
      agent_id,
      environment: execution.mode,
    },
  }
  if (agent_id === null) return [requested]
  const data = { ...actionOf(told), agent_id, tier: routing.tier, trigger: 'api' as const }
  return [requested, { type: 'agent.action.triggered', subject, data }]
}

/** One for each enforced policy that denied the action or raised its tier. */
export function violationEvents(told: EventFacts, fired: readonly Fired[]): EventDraft[] {
  return fired.map(({ policy_id, name, severity, outcome, detail }) => ({
    type: 'policy.violated',
    subject: { id: `${told.execution.id}/${policy_id}`, version: told.execution.artifacts.length },
    data: { ...actionOf(told), policy_id, policy_name: name, severity, outcome, detail },
  }))
}

/** `approved_by` is a user id, `key:<id>` or `system`. */
export function approvedEvent(told: EventFacts, approvedBy: string, method: 'manual' | 'automatic'): EventDraft {
  const { execution, routing } = told
  return {
    type: 'action.approved',
    subject: subjectOf(told),
    data: {
      action_id: execution.action_id,
      action_type: routing.kind,
      approved_by: approvedBy,
      approval_method: method,
      agent_id: agentOf(execution) ?? '',
      risk_tier: routing.tier,
    },
  }
}

export type Rejection = {
  approval_id: string | null
  by: string
  method: 'manual' | 'policy' | 'expired' | 'cancelled'
  reason: string
}

export function rejectedEvent(told: EventFacts, { approval_id, by, method, reason }: Rejection): EventDraft {
  const { execution, routing } = told
  return {
    type: 'action.rejected',
    subject: subjectOf(told),
    data: {
      ...actionOf(told),
      action_type: routing.kind,
      approval_id,
      rejected_by: by,
      rejection_method: method,
      reason,
      risk_tier: routing.tier,
      agent_id: agentOf(execution),
    },
  }
}

/** The execution is held, asks the next stage, or with `escalated` more people. `policyIds`: those that asked for approval. */
/** What an approval says of itself when people are asked. */
type Asking = { policy_ids: readonly string[]; sla?: { resolution_due_at: string | null } | undefined }

export function heldEvent(told: EventFacts, { policy_ids, sla }: Asking, escalated = false): EventDraft {
  const { execution, routing } = told
  return {
    type: 'protocol.approval.requested',
    subject: subjectOf(told),
    data: {
      ...actionOf(told),
      approval_id: execution.held?.id ?? '',
      tier: routing.tier,
      requested_by: execution.requested_by.id,
      agent_id: agentOf(execution),
      reasons: [...policy_ids],
      expires_at: execution.held?.expires_at ?? '',
      sla_due_at: sla?.resolution_due_at ?? null,
      escalated,
    },
  }
}
