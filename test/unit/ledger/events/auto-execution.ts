// The six events of one executed AUTO action of an agent, with ids as random as real ones.
import { randomBytes } from 'node:crypto'
import { type Event, type EventDraft, stamped } from '../../../../shared/ledger/events/event.ts'
import { ulid } from '../../../../shared/base/lib/ids.ts'

const newId = (prefix: string) => `${prefix}_${ulid(1_795_300_000_000, randomBytes)}`

export function autoExecution(node_id = 'crm.contacts.editor'): Event[] {
  const artifact = { id: newId('art'), hash: `sha256:${randomBytes(32).toString('hex')}` }
  const actor = { type: 'api_key', id: newId('key') } as const
  const agent_id = newId('agt')
  const subject = { id: newId('exe'), version: 1 }
  const named = { request_id: subject.id, node_id, action_id: 'update_contact' }
  const typed = { ...named, action_type: 'update' }
  const outcome = { latency_ms: 84, status: 'approved' } as const
  const drafts: EventDraft[] = [
    {
      type: 'evidence.emitted',
      subject: { id: artifact.id, version: 1 },
      data: {
        artifact_id: artifact.id,
        artifact_type: 'protocol.executed',
        hash: artifact.hash,
        subject: { type: 'execution', id: subject.id },
      },
    },
    { type: 'action.requested', subject, data: { ...typed, requested_by: actor.id, agent_id, environment: 'live' } },
    { type: 'agent.action.triggered', subject, data: { ...named, agent_id, tier: 'AUTO', trigger: 'api' } },
    { type: 'action.auto_executed', subject, data: { ...typed, ...outcome, risk_tier: 'AUTO', agent_id } },
    { type: 'protocol.executed', subject, data: { ...named, ...outcome, tier: 'AUTO' } },
    { type: 'agent.completed', subject, data: { ...named, agent_id, task_id: null, duration_ms: 84 } },
  ]
  return drafts.map((draft) => stamped(draft, actor, artifact))
}
