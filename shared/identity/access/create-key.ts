// Creates API keys. A key never exceeds what its creator could do when it was made. It exists in clear only in the response.
import { DAY_MS } from '../../base/lib/durations.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context, Mode, Principal } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { KEY_LIFETIME_DAYS } from '../../base/limits/published.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { mailToOwners } from './mail-to-owners.ts'
import { mustBeInPerson, mustHaveSteppedUp } from './recent-factor.ts'
import type { Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { users } from '../accounts/user.ts'
import { agentWrites } from './agent.ts'
import { type ApiKey, apiKeys, digestOf, keyInserts, keysPartition, makeApiKey, statusOf } from './api-key.ts'
import { deploymentSecret } from '../../base/aws/deployment-secret.ts'
import { type Permission, permissionsOfScopes, type Scope } from '../../base/catalog/permissions.ts'
import { administers } from './roles.ts'
import { personsOf } from './seen-by.ts'
import { mustHaveVerifiedEmail } from './verified-email.ts'

/** Most active keys of a tenant. */
export const KEYS_MAX = 100

export type NewKey = Pick<ApiKey, 'agent_id' | 'replaces' | 'lineage'> & {
  name: string
  kind: Mode
  scopes: readonly Scope[]
  /** The person who makes the key, and their permissions. */
  created_by: string
  cap: readonly Permission[]
  service?: boolean
  /** Who has seen the keys that it replaces. */
  seen_by?: readonly string[]
  /** Default and most: 90. */
  expires_in_days?: number | undefined
}

/** The secret, which is stored nowhere, and the item that recognises it. */
export type Made = { secret: string; item: ApiKey }

/** Makes a key without storing it. */
export async function newApiKey(ctx: Context, input: NewKey): Promise<Made> {
  const { expires_in_days = KEY_LIFETIME_DAYS, service = false, scopes, cap, seen_by = [], ...rest } = input
  const secret = makeApiKey(input.kind, ctx.random)
  const { pepper } = await deploymentSecret()
  const now = ctx.now()
  const item: ApiKey = {
    ...rest,
    id: ctx.id('key'),
    tenant_id: ctx.space.tenant_id,
    scopes: [...scopes],
    cap: [...cap],
    service,
    seen_by: personsOf({ created_by: input.created_by, seen_by }),
    hint: secret.slice(0, 12),
    digest: digestOf(pepper.value, secret),
    pepper_id: pepper.id,
    created_at: iso(now),
    expires_at: iso(now + expires_in_days * DAY_MS),
  }
  return { secret, item }
}

export type KeyRequest = Pick<NewKey, 'name' | 'kind' | 'scopes' | 'service' | 'expires_in_days' | 'agent_id'>

/** Throws 403 for a scope that the creator cannot give, 409 when the tenant has as many active keys as it may have. */
export async function createKey(ctx: Context, request: KeyRequest): Promise<Made> {
  mustBeAllowedToGiveScopes(ctx.principal, request)
  await mustBeConfirmed(ctx, request)
  const { id: created_by, permissions } = ctx.principal
  const [{ secret, item }, agent] = await Promise.all([
    newApiKey(ctx, { ...request, created_by, cap: [...permissions] }),
    agentWrites(ctx, request.agent_id, request.name),
    mustHaveKeyCapacity(ctx),
  ])
  const { id, name, kind, scopes, service, agent_id, expires_at } = item
  const facts = { kind, scopes, service, expires_at, ...(agent_id && { agent_id }) }
  const writes = changed(
    ctx,
    [
      {
        action: 'api_key.created',
        artifact: 'identity.api_key.created',
        subject: { type: 'api_key', id, name },
        data: facts,
        changes: Object.entries(facts).map(([path, after]) => ({ path, after })),
        events: agent.events,
      },
    ],
    { mails: adminKeyMails(ctx, item) },
  )
  await ctx.table.commit([...keyInserts(item), mustBeActive(ctx), ...agent.writes, ...writes], id)
  return { secret, item }
}

const isAdminKey = ({ scopes }: Pick<KeyRequest, 'scopes'>) => scopes.includes('admin')

/** A key with the scope `admin` can change accounts, so a person in a session with a recent second factor must make it. */
export const mustBeConfirmed = async (ctx: Context, request: Pick<KeyRequest, 'scopes'>): Promise<void> =>
  isAdminKey(request) ? mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id)) : mustHaveSteppedUp(ctx)

export const adminKeyMails = (ctx: Context, key: Pick<KeyRequest, 'scopes'>): Mail[] =>
  isAdminKey(key) ? [mailToOwners(ctx, 'the API keys that may administer')] : []

/** The check to add to the commit: a person who is suspended at the same moment creates no key. */
export function mustBeActive({ space, principal }: Context): Write {
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  const gone = forbidden('Your account is no longer active. Ask an administrator to restore it.')
  return users.check({ tenant_id: space.tenant_id, id: principal.id }, active, gone)
}

/**
 * A scope is given by people who hold one of its permissions. `admin` and keys of the tenant are given by owners and
 * administrators. `admin` also needs a verified address: otherwise the key could do what its maker must not do yet.
 */
export function mustBeAllowedToGiveScopes(principal: Principal, request: Pick<KeyRequest, 'scopes' | 'service'>): void {
  const { permissions } = principal
  if (request.service && !administers(principal))
    throw forbidden('Only an owner or admin can make keys that belong to the tenant. Ask one of them.')
  if (request.scopes.includes('admin') && !administers(principal))
    throw forbidden('Only an owner or admin can give the scope admin. Ask one of them.')
  if (request.scopes.includes('admin')) mustHaveVerifiedEmail(principal)
  const empty = request.scopes.find((scope) => permissionsOfScopes([scope]).isDisjointFrom(permissions))
  if (empty)
    throw forbidden(`You cannot give the scope ${empty}, because you hold none of its permissions. Leave it out.`)
}

/** Throws 409 at the limit. Older keys have expired and are not read. Concurrent requests may exceed the limit by a few. */
export async function mustHaveKeyCapacity(ctx: Context): Promise<void> {
  const at = ctx.now()
  const oldest = iso(at - KEY_LIFETIME_DAYS * DAY_MS)
  const pk = keysPartition(ctx.space.tenant_id)
  const young = await ctx.table.query(apiKeys, { pk, index: 'gsi1', from: oldest })
  if (young.filter((item) => statusOf(item, at) === 'active').length < KEYS_MAX) return
  throw conflict(`The tenant has ${KEYS_MAX} active API keys and can have no more. Revoke one first.`)
}
