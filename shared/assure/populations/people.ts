// The people of a tenant and its API keys, as they stand now: both belong to the tenant, and former ones stay listed.
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
