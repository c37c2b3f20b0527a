// The populations of access: the people of a tenant and its API keys as they are now, former ones included, and from the audit log
// the changes of access and the people who left. Every entry of a change names its artifact, and both name the same resource.
import {
  formerUsersPartition,
  rolesGiven,
  type User,
  users as stored,
  usersPartition,
} from '../../identity/accounts/user.ts'
import { type ApiKey, apiKeys, keysPartition, statusOf } from '../../identity/access/api-key.ts'
import type { Context } from '../../base/context.ts'
import type { Window } from '../exports/window.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import type { Population, Row } from './population.ts'
import type { AuditEntry } from '../../ledger/audit/entry.ts'
import { auditLog } from '../../ledger/audit/log.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'

export const users: Population = {
  name: 'users',
  columns: ['id', 'created_at', 'status', 'source', 'roles', 'second_factor', 'last_sign_in_at', 'left_at'],
  source: 'people of the tenant, former ones included, as they stand now',
  filter: 'created before the end of the window',
  rows: userRows,
}

async function* userRows(ctx: Context, { end_at }: Window): AsyncGenerator<Row[]> {
  const { tenant_id } = ctx.space
  const partitions = [usersPartition(tenant_id), formerUsersPartition(tenant_id)]
  const groups = [{ name: 'users', partitions }]
  for await (const page of pagesOf(ctx, { of: stored, index: 'gsi1', descending: false, to: end_at, groups }))
    yield page.map(userRow)
}

const userRow = (user: User): Row => ({
  id: user.id,
  created_at: user.created_at,
  status: user.status,
  source: user.source,
  roles: rolesGiven(user).join(' '),
  second_factor: user.mfa_enrolled,
  last_sign_in_at: user.last_login_at,
  left_at: hasLeft(user) ? (user.tokens_valid_after ?? user.updated_at) : null,
})

const hasLeft = ({ status }: User): boolean => status === 'suspended' || status === 'deleted'

export const keys: Population = {
  name: 'keys',
  columns: [
    'id',
    'created_at',
    'created_by',
    'service',
    'agent_id',
    'scopes',
    'status',
    'expires_at',
    'last_used_at',
    'revoked_at',
    'replaces',
  ],
  source: 'API keys of the mode, as they stand now',
  filter: 'created before the end of the window',
  rows: keyRows,
}

async function* keyRows(ctx: Context, { end_at }: Window): AsyncGenerator<Row[]> {
  const groups = [{ name: 'keys', partitions: [keysPartition(ctx.space.tenant_id)] }]
  const filter = ({ kind }: ApiKey) => kind === ctx.space.mode
  for await (const page of pagesOf(ctx, { of: apiKeys, index: 'gsi1', descending: false, to: end_at, groups, filter }))
    yield page.map((key) => keyRow(key, ctx.now()))
}

const keyRow = (key: ApiKey, now: number): Row => ({
  id: key.id,
  created_at: key.created_at,
  created_by: key.created_by,
  service: key.service,
  agent_id: key.agent_id,
  scopes: key.scopes.join(' '),
  status: statusOf(key, now),
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  revoked_at: key.revoked_at,
  replaces: key.replaces,
})

/** Types of resources that decide about access. */
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

const isAccessEntry = ({ resource }: AuditEntry): boolean => ACCESS.includes(resource.type)

export const accessChanges: Population = {
  name: 'access_changes',
  columns: COLUMNS,
  source: 'audit log: people, groups, roles, keys, clients, sign-in and settings of the tenant',
  filter: 'in the window; refusals have no artifact',
  rows: (ctx, window) => entryRows(ctx, window, isAccessEntry),
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
