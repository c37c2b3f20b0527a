// Creates API keys. A key never exceeds what its creator could do when it was made. It exists in clear only in the response.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context, Mode, Principal } from '../../base/context.ts'
import { KEY_LIFETIME_DAYS } from '../../base/limits/published.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { mailToOwners } from './outrank.ts'
import { mustActInPerson, mustHaveSteppedUp } from './assurance.ts'
import type { Write } from '../../base/table/entity.ts'
import { users } from '../accounts/user.ts'
import { agentWrites } from './agent.ts'
import { type ApiKey, apiKeys, digestOf, keyInserts, keysPartition, makeApiKey, statusOf } from './api-key.ts'
import { deploymentSecret } from '../../base/aws/deployment-secret.ts'
import {
  KEY_ONLY,
  type Permission,
  permissionsOfScopes,
  PRIVILEGED,
  type Scope,
} from '../../base/catalog/permissions.ts'
import { administers } from './roles.ts'
import { personsOf } from './permissions.ts'

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

/**
 * Creates a key and returns its secret, which is stored nowhere. Throws 403 for a scope that the creator cannot give, and for a
 * key that could administer or decide alone unless a person makes it with a recent factor; 409 when the tenant has as many active
 * keys as it may have. Maker and permissions come from the caller's credential and never from the request. The commit fails when
 * the person was suspended meanwhile. A repetition makes another key.
 */
export async function createKey(ctx: Context, request: KeyRequest): Promise<Made> {
  mustBeAllowedToGiveScopes(ctx.principal, request)
  const { id: created_by, permissions } = ctx.principal
  const cap = [...permissions]
  await mustBeConfirmed(ctx, { scopes: [...request.scopes], service: request.service ?? false, cap })
  const [{ secret, item }, agent] = await Promise.all([
    newApiKey(ctx, { ...request, created_by, cap }),
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

/** Can change accounts. */
const isAdminKey = ({ scopes }: Pick<ApiKey, 'scopes'>) => scopes.includes('admin') || scopes.includes('scim')

/** Decides by itself: no person's rights bound it, and it stays when its maker goes. */
const decidesAlone = ({ service, scopes, cap }: Pick<ApiKey, 'service' | 'scopes' | 'cap'>) =>
  service && !permissionsOfScopes(scopes).intersection(new Set(cap)).isDisjointFrom(PRIVILEGED)

type Power = Pick<ApiKey, 'scopes' | 'service' | 'cap'>

/**
 * A key that can change accounts, or that belongs to the tenant and could decide, is made by a person in a session with a
 * recent second factor.
 */
export const mustBeConfirmed = async (ctx: Context, key: Power): Promise<void> =>
  isAdminKey(key) || decidesAlone(key) ? mustActInPerson(ctx) : mustHaveSteppedUp(ctx)

export function adminKeyMails(ctx: Context, key: Power): Mail[] {
  if (isAdminKey(key)) return [mailToOwners(ctx, 'the API keys that may administer')]
  return decidesAlone(key) ? [mailToOwners(ctx, 'the API keys of the organisation that may decide')] : []
}

/** The check to add to the commit: a person who is suspended at the same moment creates no key. */
export function mustBeActive({ space, principal }: Context): Write {
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  const gone = forbidden('Your account is no longer active. Ask an administrator to restore it.')
  return users.check({ tenant_id: space.tenant_id, id: principal.id }, active, gone)
}

/**
 * A scope is given by people who hold one of its permissions. `admin`, `scim` and keys of the tenant are given by owners and
 * administrators.
 */
export function mustBeAllowedToGiveScopes(principal: Principal, request: Pick<KeyRequest, 'scopes' | 'service'>): void {
  const { permissions } = principal
  if (request.service && !administers(principal))
    throw forbidden('Only an owner or admin can make keys that belong to the tenant. Ask one of them.')
  const administrative = request.scopes.find((scope) => scope === 'admin' || scope === 'scim')
  if (administrative && !administers(principal))
    throw forbidden(`Only an owner or admin can give the scope ${administrative}. Ask one of them.`)
  const given = permissions.has('users:write') ? permissions.union(KEY_ONLY) : permissions
  const empty = request.scopes.find((scope) => permissionsOfScopes([scope]).isDisjointFrom(given))
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
