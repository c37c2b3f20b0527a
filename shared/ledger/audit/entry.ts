// The audit log: changes of rights and settings, and refusals. One item per entry, partitioned by month.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

export const OUTCOMES = ['success', 'failure', 'denied'] as const

/** Values as in the API; a secret is `***`. */
export const AuditChange = z.object({ path: z.string(), before: z.json().optional(), after: z.json().optional() })
export type AuditChange = z.output<typeof AuditChange>

export const AuditEntry = z.object({
  id: z.string(),
  ...spaceMembers,
  at: z.string(),
  actor: z.object({
    type: z.string(),
    id: z.string(),
    email: z.string().optional(),
    api_key_id: z.string().optional(),
    /** The OAuth client through which a person acted, or which acted for itself. */
    client_id: z.string().optional(),
    /** The agent that the credential is bound to. */
    agent_id: z.string().optional(),
  }),
  action: z.string(),
  resource: z.object({ type: z.string(), id: z.string(), name: z.string().optional() }),
  outcome: z.enum(OUTCOMES),
  reason: z.string().optional(),
  request_id: z.string(),
  trace_id: z.string(),
  ip: z.string(),
  user_agent: z.string(),
  /** ISO 3166-1 alpha-2; only for sign-ins and unusual sign-ins. */
  country: z.string().optional(),
  changes: z.array(AuditChange),
  evidence_artifact_id: z.string().optional(),
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
