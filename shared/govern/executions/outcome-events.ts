// Which events the end of an execution tells, and its undoing.
import type { EventDraft } from '../../ledger/events/event.ts'
import { actionOf, agentOf, subjectOf, type EventFacts } from './events.ts'

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
