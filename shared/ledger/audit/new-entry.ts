import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { AuditChange, AuditEntry } from './entry.ts'

export type EntryFacts = Pick<AuditEntry, 'action' | 'outcome' | 'reason' | 'country' | 'evidence_artifact_id'> & {
  subject: AuditEntry['resource']
  changes?: readonly AuditChange[]
}

/** A new entry of this request, not stored yet. */
export function newEntry(ctx: Context, { subject, changes = [], ...facts }: EntryFacts): AuditEntry {
  const { principal, request, space } = ctx
  const { kind, id, email, agent_id } = principal
  const client_id = kind === 'client' ? id : principal.client_id
  const entryId = ctx.id('aud')
  return {
    id: entryId,
    ...space,
    at: iso(timeOfId(entryId)), // the time of the id, because the log is ordered by ids
    actor: { type: kind, id, email, ...(kind === 'api_key' && { api_key_id: id }), client_id, agent_id },
    action: facts.action,
    resource: subject,
    outcome: facts.outcome,
    reason: facts.reason,
    request_id: request.request_id,
    trace_id: request.trace_id,
    ip: request.ip,
    user_agent: request.user_agent,
    country: facts.country,
    changes: [...changes],
    evidence_artifact_id: facts.evidence_artifact_id,
  }
}
