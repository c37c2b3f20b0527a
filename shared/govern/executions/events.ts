// Which events each transition of an execution emits, in their order. `evidence.emitted` comes before all of them and is added
// where the artifact is recorded.
import type * as z from 'zod'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { Fired } from '../governance/decide/evaluate.ts'
import type { Execution, RoutingDecision } from './execution.ts'

/** An execution and its parsed routing decision. */
export type EventFacts = { execution: Execution; routing: z.output<typeof RoutingDecision> }

/** The agent of an execution: the one bound or named, else the key or client that requested it. */
const agentOf = ({ agent_id, requested_by }: Pick<Execution, 'agent_id' | 'requested_by'>): string | null =>
  agent_id ?? (requested_by.type === 'user' || requested_by.type === 'system' ? null : requested_by.id)

/** The version is the number of artifacts, which grows with every transition. */
const subjectOf = ({ execution }: EventFacts) => ({ id: execution.id, version: execution.artifacts.length })
const actionOf = ({ execution }: EventFacts) => ({
  request_id: execution.id,
  node_id: execution.node_id,
  action_id: execution.action_id,
})

/** A command of an agent became a task. */
export function taskEvents(facts: EventFacts, command_sha256: string | undefined): EventDraft[] {
  const { execution, routing } = facts
  if (!command_sha256 || !execution.task_id) return []
  const agent_id = agentOf(execution) ?? execution.requested_by.id
  const { task_id, id: request_id } = execution
  const data = { agent_id, task_id, request_id, tier: routing.tier, command_sha256 }
  return [{ type: 'agent.executed', subject: subjectOf(facts), data }]
}

/** An action was submitted; a second event names its agent, where there is one. */
export function submittedEvents(facts: EventFacts): EventDraft[] {
  const { execution, routing } = facts
  const agent_id = agentOf(execution)
  const subject = subjectOf(facts)
  const requested: EventDraft = {
    type: 'action.requested',
    subject,
    data: {
      ...actionOf(facts),
      action_type: routing.kind,
      requested_by: execution.requested_by.id,
      agent_id,
      environment: execution.mode,
    },
  }
  if (agent_id === null) return [requested]
  const data = { ...actionOf(facts), agent_id, tier: routing.tier, trigger: 'api' as const }
  return [requested, { type: 'agent.action.triggered', subject, data }]
}

/** One for each enforced policy that denied the action or raised its tier. */
export function violationEvents(facts: EventFacts, fired: readonly Fired[]): EventDraft[] {
  return fired.map(({ policy_id, name, severity, outcome, detail }) => ({
    type: 'policy.violated',
    subject: { id: `${facts.execution.id}/${policy_id}`, version: facts.execution.artifacts.length },
    data: { ...actionOf(facts), policy_id, policy_name: name, severity, outcome, detail },
  }))
}

/** `approved_by` is a user id, `key:<id>` or `system`. */
export function approvedEvent(facts: EventFacts, approvedBy: string, method: 'manual' | 'automatic'): EventDraft {
  const { execution, routing } = facts
  return {
    type: 'action.approved',
    subject: subjectOf(facts),
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

export function rejectedEvent(facts: EventFacts, { approval_id, by, method, reason }: Rejection): EventDraft {
  const { execution, routing } = facts
  return {
    type: 'action.rejected',
    subject: subjectOf(facts),
    data: {
      ...actionOf(facts),
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

/** The facts of an approval that its request event states. */
type ApprovalRequest = { policy_ids: readonly string[]; sla?: { resolution_due_at: string | null } | undefined }

/** The execution waits for approval: at first, in its next stage, or with `escalated` by more people. */
export function heldEvent(facts: EventFacts, { policy_ids, sla }: ApprovalRequest, escalated = false): EventDraft {
  const { execution, routing } = facts
  return {
    type: 'protocol.approval.requested',
    subject: subjectOf(facts),
    data: {
      ...actionOf(facts),
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

/** How it ended, as far as that is known. */
export function executedEvent(facts: EventFacts): EventDraft {
  const { status, latency_ms } = facts.execution
  const outcome = status === 'executed' ? 'approved' : status === 'failed' ? 'failed' : 'unknown'
  return {
    type: 'protocol.executed',
    subject: subjectOf(facts),
    data: { ...actionOf(facts), tier: facts.routing.tier, status: outcome, latency_ms },
  }
}

/** An execution ran, failed, or ended with an unknown outcome. */
export function ranEvents(facts: EventFacts, duration_ms: number): EventDraft[] {
  const { execution, routing } = facts
  const { status } = execution
  const agent_id = agentOf(execution)
  return [
    ...(status === 'executed' && routing.tier === 'AUTO' ? [autoExecuted(facts, agent_id)] : []),
    executedEvent(facts),
    ...(agent_id === null ? [] : [agentEvent(facts, agent_id, duration_ms)]),
  ]
}

function autoExecuted(facts: EventFacts, agent_id: string | null): EventDraft {
  const { execution, routing } = facts
  return {
    type: 'action.auto_executed',
    subject: subjectOf(facts),
    data: {
      ...actionOf(facts),
      action_type: routing.kind,
      risk_tier: routing.tier,
      agent_id,
      latency_ms: execution.latency_ms,
      status: 'approved',
    },
  }
}

function agentEvent(facts: EventFacts, agent_id: string, duration_ms: number): EventDraft {
  const { error, task_id = null } = facts.execution
  const data = { ...actionOf(facts), agent_id, task_id }
  const subject = subjectOf(facts)
  if (!error) return { type: 'agent.completed', subject, data: { ...data, duration_ms } }
  return { type: 'agent.failed', subject, data: { ...data, error_code: error.code, error_message: error.message } }
}

type Undone = { by: string; request_id: string | undefined; called: boolean }

export function undoneEvent(facts: EventFacts, { by, request_id, called }: Undone): EventDraft {
  return {
    type: 'execution.undone',
    subject: subjectOf(facts),
    data: {
      ...actionOf(facts),
      undone_by: by,
      undo_action_id: facts.execution.undo?.action_id ?? null,
      undo_request_id: request_id ?? null,
      compensation: called ? 'executed' : 'caller',
    },
  }
}

/** The rule that refused an action, of a tenant's policy or built in, and why. */
export type Refusal = {
  policy_id: string
  message: string
  history?: true | undefined
  retry_after_s?: number | undefined
}

/** The stored and visible form of a refusal. */
export const rejectionOf = ({ policy_id, message, history, retry_after_s }: Refusal) =>
  ({
    policy_id,
    detail: `Rejected by policy ${policy_id}${message && `: ${message}`}`,
    history,
    retry_after_s,
  }) satisfies Execution['rejection']
