// Which events the end of an execution tells, and its undoing (governance.md, section 7).
import type { EventDraft } from '../../ledger/events/event.ts'
import { actionOf, agentOf, subjectOf, type EventFacts } from './events.ts'

/** What an execution that has run, or failed to, tells. */
export function ranEvents(told: EventFacts, duration_ms: number): EventDraft[] {
  const { execution, routing } = told
  const { status, latency_ms } = execution
  const agent_id = agentOf(execution)
  const outcome = status === 'executed' ? 'approved' : status === 'failed' ? 'failed' : 'unknown'
  const executed: EventDraft = {
    type: 'protocol.executed',
    subject: subjectOf(told),
    data: { ...actionOf(told), tier: routing.tier, status: outcome, latency_ms },
  }
  return [
    ...(status === 'executed' && routing.tier === 'AUTO' ? [autoExecuted(told, agent_id)] : []),
    executed,
    ...(agent_id === null ? [] : [agentEvent(told, agent_id, duration_ms)]),
  ]
}

function autoExecuted(told: EventFacts, agent_id: string | null): EventDraft {
  const { execution, routing } = told
  return {
    type: 'action.auto_executed',
    subject: subjectOf(told),
    data: {
      ...actionOf(told),
      action_type: routing.kind,
      risk_tier: routing.tier,
      agent_id,
      latency_ms: execution.latency_ms,
      status: 'approved',
    },
  }
}

function agentEvent(told: EventFacts, agent_id: string, duration_ms: number): EventDraft {
  const { error, task_id = null } = told.execution
  const data = { ...actionOf(told), agent_id, task_id }
  const subject = subjectOf(told)
  if (!error) return { type: 'agent.completed', subject, data: { ...data, duration_ms } }
  return { type: 'agent.failed', subject, data: { ...data, error_code: error.code, error_message: error.message } }
}

type Undone = { by: string; request_id: string | undefined; called: boolean }

export function undoneEvent(told: EventFacts, { by, request_id, called }: Undone): EventDraft {
  return {
    type: 'execution.undone',
    subject: subjectOf(told),
    data: {
      ...actionOf(told),
      undone_by: by,
      undo_action_id: told.execution.undo?.action_id ?? null,
      undo_request_id: request_id ?? null,
      compensation: called ? 'executed' : 'caller',
    },
  }
}
