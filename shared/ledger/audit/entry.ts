// The audit log: changes of rights and settings, and refusals. One item per entry, partitioned by month.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'

export const OUTCOMES = ['success', 'failure', 'denied'] as const

/** Values as in the API; a secret is `***`. */
export const AuditChange = z.object({ path: z.string(), before: z.json().optional(), after: z.json().optional() })
export type AuditChange = z.output<typeof AuditChange>

export const AuditEntry = z.object({
  id: z.string().describe('The id, which never changes.'),
  ...spaceMembers,
  at: z.string().describe('When it happened.'),
  actor: z
    .object({
      type: z.string().describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
      email: z.string().optional().describe('The e-mail address.'),
      api_key_id: z.string().optional().describe('Id of the API key that was used.'),
      client_id: z
        .string()
        .optional()
        .describe('The OAuth client through which a person acted, or which acted for itself.'),
      agent_id: z.string().optional().describe('The agent that the credential is bound to.'),
    })
    .describe('The caller that made the change.'),
  action: z.string().describe('The operation, as `resource.verb`.'),
  resource: z
    .object({
      type: z.string().describe('The type of the resource.'),
      id: z.string().describe('Id of the resource.'),
      name: z.string().optional().describe('Its name for people.'),
    })
    .describe('The resource that was changed.'),
  outcome: z.enum(OUTCOMES).describe('The outcome.'),
  reason: z.string().optional().describe('The reason, for people.'),
  request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
  trace_id: z.string().describe('Id of the trace (W3C Trace Context).'),
  ip: z.string().describe('Source address of the request.'),
  user_agent: z.string().describe('The User-Agent header of the request.'),
  /** ISO 3166-1 alpha-2; only for sign-ins and unusual sign-ins. */
  country: z.string().optional().describe('Country of the address (ISO 3166-1 alpha-2), where it is known.'),
  changes: z.array(AuditChange),
  evidence_artifact_id: z.string().optional().describe('Id of the artifact that proves it.'),
})
export type AuditEntry = z.output<typeof AuditEntry>

/** `month` is `yyyy-mm`. */
export const auditPartition = (space: Space, month: string): string => spaceKey(space, 'AUDIT', month)

/** Escapes ids from outside, because they may hold the separator of keys. */
const plain = (text: string) => encodeURIComponent(text).slice(0, 512)

export const actorPartition = (space: Space, id: string): string => spaceKey(space, 'AUDITACTOR', plain(id))

export const resourcePartition = (space: Space, { type, id }: { type: string; id: string }): string =>
  spaceKey(space, 'AUDITRES', plain(type), plain(id))

export const auditEntries = entity({
  name: 'AUDIT',
  unbound: 'proven by artifacts',
  schema: AuditEntry,
  key: (of: Pick<AuditEntry, 'tenant_id' | 'mode' | 'at' | 'id'>) => ({
    pk: auditPartition(of, of.at.slice(0, 7)),
    sk: of.id,
  }),
  index: (item) => ({
    gsi1pk: actorPartition(item, item.actor.id),
    gsi1sk: item.id,
    gsi2pk: resourcePartition(item, item.resource),
    gsi2sk: item.id,
  }),
})

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
