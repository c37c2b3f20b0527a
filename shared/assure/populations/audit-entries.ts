// Populations of the audit log. Every entry of a change names its artifact, and both name the same resource.
import { type AuditEntry } from '../../ledger/audit/entry.ts'
import { auditLog } from '../../ledger/audit/read-log.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import type { Context } from '../../base/context.ts'
import type { Window } from '../exports/window.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import type { Population, Row } from './population.ts'

/** What decides who may do what. */
const ACCESS = [
  'allowlist_rule',
  'api_key',
  'domain',
  'encryption_key',
  'group',
  'oauth_client',
  'oauth_grant',
  'oauth_session',
  'registration_token',
  'role',
  'session',
  'sso',
  'tenant',
  'user',
]

const COLUMNS = [
  'id',
  'at',
  'actor_type',
  'actor_id',
  'action',
  'resource_type',
  'resource_id',
  'outcome',
  'changed_fields',
  'artifact_id',
]

const isOfAccess = ({ resource }: AuditEntry): boolean => ACCESS.includes(resource.type)

export const accessChanges: Population = {
  name: 'access_changes',
  columns: COLUMNS,
  source: 'audit log: people, groups, roles, keys, clients, sign-in and settings of the tenant',
  filter: 'in the window; refusals have no artifact',
  rows: (ctx, window) => entryRows(ctx, window, isOfAccess),
  chain: { ofRow: artifactOf, ofArtifact: ({ subject, artifact_id }) => (isAccess(subject) ? artifact_id : undefined) },
}

const isAccess = (subject: Header['subject']): boolean => subject !== undefined && ACCESS.includes(subject.type)

const LEAVING = ['user.suspended', 'user.deleted']

export const leavers: Population = {
  name: 'leavers',
  columns: COLUMNS,
  source: 'audit log: people whose access ended',
  filter: 'in the window; resource_id is the person, whose sessions and keys ended in the same transaction',
  rows: (ctx, window) => entryRows(ctx, window, ({ action }) => LEAVING.includes(action)),
  chain: {
    ofRow: artifactOf,
    ofArtifact: ({ type, artifact_id }) => (type === 'identity.user.deprovisioned' ? artifact_id : undefined),
  },
}

async function* entryRows(ctx: Context, window: Window, wanted: (entry: AuditEntry) => boolean) {
  const [start_at, end_at] = [Date.parse(window.start_at), Date.parse(window.end_at)]
  const log = await auditLog(ctx, { start_at, end_at, order: 'asc' })
  for await (const page of pagesOf(ctx, log)) yield page.filter(wanted).map(rowOf)
}

const rowOf = ({ id, at, actor, action, resource, outcome, changes, evidence_artifact_id }: AuditEntry): Row => ({
  id,
  at,
  actor_type: actor.type,
  actor_id: actor.id,
  action,
  resource_type: resource.type,
  resource_id: resource.id,
  outcome,
  changed_fields: changes.map(({ path }) => path).join(' '),
  artifact_id: evidence_artifact_id,
})

function artifactOf({ artifact_id, at }: Row) {
  return typeof artifact_id === 'string' ? { id: artifact_id, at: String(at) } : undefined
}
