// Which events a transition of an execution tells, in the order of governance.md, section 7. `evidence.emitted` comes
// before all of them and is added where the artifact is recorded.
import type { EventDraft } from '../events/event.ts'
import type { Fired } from '../governance/evaluate.ts'
import type { Execution, RoutingDecision } from './execution.ts'
import type * as z from 'zod'

type Routing = z.output<typeof RoutingDecision>

/** The execution with what it holds as text already read. */
export type Told = { execution: Execution; routing: Routing }

/** The agent of an execution: the bound one, else a credential that has no person in front of it. */
export const agentOf = ({ agent_id, requested_by }: Pick<Execution, 'agent_id' | 'requested_by'>): string | null =>
  agent_id ?? (requested_by.type === 'user' || requested_by.type === 'system' ? null : requested_by.id)

const subjectOf = ({ execution }: Told) => ({ id: execution.id, version: execution.artifacts.length })
const actionOf = ({ execution }: Told) => ({
  request_id: execution.id,
  node_id: execution.node_id,
  action_id: execution.action_id,
})

/** A command of an agent was taken on as a task. */
export function taskEvents(told: Told, command_sha256: string | undefined): EventDraft[] {
  const { execution, routing } = told
  if (!command_sha256 || !execution.task_id) return []
  const agent_id = agentOf(execution) ?? execution.requested_by.id
  const { task_id, id: request_id } = execution
  const data = { agent_id, task_id, request_id, tier: routing.tier, command_sha256 }
  return [{ type: 'agent.executed', subject: subjectOf(told), data }]
}

/** An action was submitted, and by an agent where there is one. */
export function submittedEvents(told: Told): EventDraft[] {
  const { execution, routing } = told
  const agent_id = agentOf(execution)
  const subject = subjectOf(told)
  return [
    {
      type: 'action.requested',
      subject,
      data: {
        ...actionOf(told),
        action_type: routing.kind,
        requested_by: execution.requested_by.id,
        agent_id,
        environment: execution.mode,
      },
    },
    ...(agent_id
      ? [
          {
            type: 'agent.action.triggered' as const,
            subject,
            data: { ...actionOf(told), agent_id, tier: routing.tier, trigger: 'api' as const },
          },
        ]
      : []),
  ]
}

/** One for each enforced policy that denied the action or raised its tier. */
export function violationEvents(told: Told, fired: readonly Fired[]): EventDraft[] {
  return fired.map(({ policy_id, name, severity, outcome, detail }) => ({
    type: 'policy.violated',
    subject: { id: `${told.execution.id}/${policy_id}`, version: told.execution.artifacts.length },
    data: { ...actionOf(told), policy_id, policy_name: name, severity, outcome, detail },
  }))
}

/** `approved_by` is a user id, `key:<id>` or `system`. */
export function approvedEvent(told: Told, approvedBy: string, method: 'manual' | 'automatic'): EventDraft {
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

export function rejectedEvent(told: Told, { approval_id, by, method, reason }: Rejection): EventDraft {
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

/** What an execution that has run, or failed to, tells. */
export function ranEvents(told: Told, startedAt: number, endedAt: number): EventDraft[] {
  const { execution, routing } = told
  const subject = subjectOf(told)
  const { latency_ms } = execution
  const status = execution.status === 'executed' ? 'approved' : execution.status === 'failed' ? 'failed' : 'unknown'
  const agent_id = agentOf(execution)
  const automatic = routing.tier === 'AUTO' && execution.status === 'executed'
  return [
    ...(automatic
      ? [
          {
            type: 'action.auto_executed' as const,
            subject,
            data: {
              ...actionOf(told),
              action_type: routing.kind,
              risk_tier: routing.tier,
              agent_id,
              latency_ms,
              status: 'approved' as const,
            },
          },
        ]
      : []),
    { type: 'protocol.executed', subject, data: { ...actionOf(told), tier: routing.tier, status, latency_ms } },
    ...(agent_id ? [agentEvent(told, agent_id, endedAt - startedAt)] : []),
  ]
}

function agentEvent(told: Told, agent_id: string, duration_ms: number): EventDraft {
  const { execution } = told
  const data = { ...actionOf(told), agent_id, task_id: execution.task_id ?? null }
  const subject = subjectOf(told)
  if (execution.status === 'executed') return { type: 'agent.completed', subject, data: { ...data, duration_ms } }
  const error_code = execution.error?.code ?? 'target_failed'
  return {
    type: 'agent.failed',
    subject,
    data: { ...data, error_code, error_message: 'The target of the action did not carry it out.' },
  }
}

export function undoneEvent(told: Told, by: string, undo_request_id: string | null): EventDraft {
  return {
    type: 'execution.undone',
    subject: subjectOf(told),
    data: {
      ...actionOf(told),
      undone_by: by,
      undo_action_id: told.execution.undo?.action_id ?? null,
      undo_request_id,
      compensation: undo_request_id ? 'executed' : 'caller',
    },
  }
}

export function heldEvent(told: Told, policyIds: readonly string[]): EventDraft {
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
      reasons: [...policyIds],
      expires_at: execution.held?.expires_at ?? '',
      sla_due_at: null,
    },
  }
}
