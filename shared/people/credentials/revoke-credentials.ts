// Ends credentials and requests that act in the name of a person, by kind. Each credential leaves its own evidence, and one event sums
// them up. Credentials of the tenant remain.
import { revokeAll } from '../../identity/access/revocation.ts'
import { cancelRequest, cancelRequests, cancelThrough } from '../../govern/approvals/cancel.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context, Mode } from '../../base/context.ts'
import { storedId } from '../../identity/artefacts/artefact.ts'
import { endGrant } from '../../identity/artefacts/end-grant.ts'
import { endClient, endRegistrationToken } from '../../identity/oauth/clients/delete-client.ts'
import { revokeSession } from '../../identity/sessions/end-sessions.ts'
import { endInvitation } from '../../identity/users/end-invitation.ts'
import { findAnyUser } from '../../identity/accounts/find.ts'
import { type Held, heldBy } from './credentials-view.ts'
import { mustOutrankToEnd } from '../../identity/access/outrank.ts'
import { signOutEverywhere } from '../../identity/users/sign-out-everywhere.ts'
import type { User } from '../../identity/accounts/user.ts'

/** In the order in which they end: open requests are cancelled before their key or client ends. */
export const REVOCABLE = [
  'open_requests',
  'api_keys',
  'oauth_clients',
  'registration_tokens',
  'sessions',
  'oauth_grants',
  'invitations',
] as const
export type Revocable = (typeof REVOCABLE)[number]

/** `ids`: only credentials with these ids, as in the list. */
export type Revocation = { id: string; kinds: readonly Revocable[]; ids?: readonly string[] | undefined }

export type Revoked = Partial<Record<Revocable, number>>

/**
 * Ends the credentials of these kinds and returns how many of each have ended. Throws 404 for an unknown person, and 403 for one who may
 * do more than the caller. `ids` of credentials that are not the person's are ignored. Each credential ends by a commit of its own: a crash
 * leaves the rest, which a repeat ends; what has ended before counts as 0.
 */
export async function revokeCredentials(ctx: Context, { id, kinds, ids }: Revocation): Promise<Revoked> {
  const user = await findAnyUser(ctx, id)
  await mustOutrankToEnd(ctx, user)
  const held = withIds(withoutTenants(await heldBy(ctx, user)), ids)
  // Ending all sessions and grants also ends sign-ins in progress.
  const everywhere = !ids && user.status !== 'deleted' && kinds.includes('sessions') && kinds.includes('oauth_grants')
  const revoked = await endKinds(ctx, user, held, kinds)
  if (everywhere) await signOutEverywhere(ctx, id)
  await recordTotals(ctx, user, revoked)
  return revoked
}

/** Credentials of the tenant remain when those of a person end. */
const withoutTenants = (held: Held): Held => ({ ...held, keys: held.keys.filter(({ service }) => !service) })

/**
 * Ends everything that an account made before anybody proved its address, also in the tenant's name: keys, clients, their requests,
 * sessions, grants, invitations.
 */
export async function endAllHeld(ctx: Context, user: User): Promise<void> {
  const { clients, ...held } = await heldBy(ctx, user)
  const own = [...clients.own, ...clients.others.filter(({ created_by }) => created_by === user.id)]
  await recordTotals(ctx, user, await endKinds(ctx, user, { ...held, clients: { own, others: [] } }, REVOCABLE))
}

async function endKinds(ctx: Context, user: User, held: Held, kinds: readonly Revocable[]): Promise<Revoked> {
  const revoked: Revoked = {}
  for (const kind of REVOCABLE) if (kinds.includes(kind)) revoked[kind] = await ENDS[kind](ctx, held, user)
  return revoked
}

type Ending = (ctx: Context, held: Held, user: User) => Promise<number>

const ENDS: Record<Revocable, Ending> = {
  api_keys: async (ctx, { keys }) => {
    await revokeAll(ctx, keys, 'credentials_revoked')
    for (const { id, kind: mode } of keys) await cancel(ctx, id, mode)
    return keys.length
  },
  oauth_clients: async (ctx, { clients }) => {
    for (const { client_id } of clients.own) await cancelThrough(ctx, { client_id, reason: REASON })
    return each(clients.own, (client) => endClient(ctx, client))
  },
  registration_tokens: (ctx, { tokens }, { id }) => each(tokens, (token) => endRegistrationToken(ctx, token, id)),
  sessions: (ctx, { sessions }) => each(sessions, (session) => revokeSession(ctx, session, 'remote_sign_out')),
  oauth_grants: async (ctx, { grants }, { id: user_id }) => {
    const count = await each(grants, (grant) => endGrant(ctx, grant, user_id))
    const ended = new Set(grants.map(({ client_id = '' }) => storedId(client_id, ctx.space.tenant_id)))
    for (const client_id of ended) await cancelThrough(ctx, { client_id, user_id, reason: REASON })
    return count
  },
  invitations: (ctx, { invitations }) => each(invitations, (one) => endInvitation(ctx, one)),
  open_requests: (ctx, { requests }) => each(requests, (held) => cancelRequest(ctx, held, REASON)),
}

const REASON = 'the credentials of the requester were revoked'

const cancel = (ctx: Context, id: string, mode: Mode) => cancelRequests(ctx, { id, mode, reason: REASON })

/** Ends each of them and returns how many have ended. */
async function each<T>(all: readonly T[], end: (one: T) => Promise<boolean>): Promise<number> {
  let count = 0
  for (const one of all) if (await end(one)) count += 1
  return count
}

/** Keeps only those with one of these ids. */
function withIds(held: Held, ids: readonly string[] | undefined): Held {
  if (!ids) return held
  const wanted = new Set(ids)
  return {
    ...held,
    keys: held.keys.filter(({ id }) => wanted.has(id)),
    clients: { ...held.clients, own: held.clients.own.filter(({ client_id }) => wanted.has(client_id)) },
    tokens: held.tokens.filter(({ public_id }) => public_id !== undefined && wanted.has(public_id)),
    sessions: held.sessions.filter(({ sid }) => wanted.has(sid)),
    grants: held.grants.filter(({ hash }) => wanted.has(hash)),
    invitations: held.invitations.filter(({ id }) => wanted.has(id)),
    requests: held.requests.filter(({ id }) => wanted.has(id)),
  }
}

const NONE: Record<Revocable, number> = {
  api_keys: 0,
  oauth_clients: 0,
  registration_tokens: 0,
  sessions: 0,
  oauth_grants: 0,
  invitations: 0,
  open_requests: 0,
}

async function recordTotals(ctx: Context, { id, name }: User, revoked: Revoked): Promise<void> {
  if (Object.values(revoked).every((count) => count === 0)) return
  const counts = { ...NONE, ...revoked }
  const writes = changed(ctx, [
    {
      action: 'user.credentials_revoked',
      artifact: 'identity.credentials.revoked',
      subject: { type: 'user', id, name },
      data: counts,
      events: [
        {
          type: 'user.credentials_revoked',
          subject: { id: `${id}.${ctx.request.request_id}`, version: 1 },
          data: { user_id: id, ...counts },
        },
      ],
    },
  ])
  await ctx.table.commit(writes, id)
}
