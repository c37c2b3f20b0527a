// Tokens of people and of OAuth clients. A token only says who its bearer was when it was issued. Session and account are
// read on every request, together with its first reads.
import { claimedIssuer } from '../identity/access/verify-token.ts'
import type { Principal, Space } from '../base/context.ts'
import { env } from '../base/lib/runtime.ts'
import { malformed } from '../base/lib/failure.ts'
import { memory } from '../base/lib/memory.ts'
import { readSessionToken, type SessionClaims } from '../identity/sessions/session-token.ts'
import { type Found, liveSession, noteUse, sessionPrincipal } from '../identity/sessions/live-session.ts'
import type { Table } from '../base/table/table.ts'
import type { Authenticated, Begin, Caller, PresentedToken } from './authenticated.ts'
import { type Call, unauthenticated } from '../base/wire/call.ts'
import { permissionsOfScopes } from '../base/catalog/permissions.ts'
import { personsOf } from '../identity/access/permissions.ts'
import {
  type AccessClaims,
  type Bearer,
  bearerOf,
  isOfPerson,
  readAccessToken,
} from '../identity/oauth/access-token.ts'
import { rememberedClient } from '../identity/oauth/clients/client.ts'
import { apiScopesOf } from '../identity/oauth/scopes.ts'
import { allRoles, type User } from '../identity/accounts/user.ts'

/** Throws 401 for anything but a valid credential. Sessions are for the API only. */
export async function authenticateToken(
  call: Call,
  presented: PresentedToken,
  table: Table,
  begin: Begin,
): Promise<Authenticated> {
  const issuer = claimedIssuer(presented.token)
  if (issuer === env('COGNITO_ISSUER') && presented.audience === undefined)
    return authenticateSession(call, presented, table, begin)
  if (issuer === env('APP_URL')) return authenticateOAuth(call, presented, table, begin)
  throw unauthenticated()
}

/** Sessions and tokens that this container has found ended. */
const ended = memory<true>()

async function authenticateSession(
  call: Call,
  { token, personal }: PresentedToken,
  table: Table,
  begin: Begin,
): Promise<Authenticated> {
  const claims = await readSessionToken(token, table.clock.now())
  if (!claims) throw unauthenticated()
  const space: Space = { tenant_id: claims.tenant_id, mode: personal ? 'live' : requestedMode(call) }
  const caller = { kind: 'user', id: claims.sub, persons: [claims.sub] } as const
  // An ended session must not count in its tenant's rate limit until its token expires.
  const early = ended.has(claims.sid) ? undefined : begin(call, space, table, caller)
  const found = await findSession(table, claims)
  return {
    space,
    principal: sessionPrincipal(found),
    started: early ?? begin(call, space, table, caller),
    recheck: async () => void (await findSession(table, claims)),
    note: (ctx) => noteUse(ctx, found.session),
  }
}

/** People see live data unless they ask for test mode. */
function requestedMode({ headers }: Call): Space['mode'] {
  const mode = headers['x-mode'] ?? 'live'
  if (mode !== 'live' && mode !== 'test')
    throw malformed('X-Mode is neither live nor test. Send one of the two, or leave it out.')
  return mode
}

async function findSession(table: Table, claims: SessionClaims): Promise<Found> {
  const found = await liveSession(table, claims)
  if (found) return found
  ended.set(claims.sid, true)
  throw unauthenticated()
}

/**
 * An OAuth access token names the person and the scopes. Person, client and grant are read on every request, so a suspended person, a
 * disabled client and an ended grant lose access at once. Throws 401 for anything but a valid access token of this service.
 */
async function authenticateOAuth(
  call: Call,
  { token, audience }: PresentedToken,
  table: Table,
  begin: Begin,
): Promise<Authenticated> {
  const claims = await readAccessToken(token, table.clock.now(), audience)
  if (!claims) throw unauthenticated()
  const { tenant_id, mode } = claims
  if ((call.headers['x-mode'] ?? mode) !== mode)
    throw malformed(`X-Mode is not the mode of the token. Send ${mode}, or leave it out.`)
  const space: Space = { tenant_id, mode }
  // An ended token must not count in its tenant's rate limit until it expires.
  const caller = callerOf(claims)
  const early = ended.has(claims.jti) ? undefined : begin(call, space, table, caller)
  const bearer = await findBearer(table, claims)
  return {
    space,
    principal: principalOf(claims, bearer),
    started: early ?? begin(call, space, table, caller),
    recheck: async () => void (await findBearer(table, claims)),
    note: () => undefined,
  }
}

/** The agent of a client is known once this container has seen the client; it never changes. */
function callerOf(claims: AccessClaims): Caller | undefined {
  if (isOfPerson(claims)) return { kind: 'user', id: claims.sub }
  const client = rememberedClient(claims.client_id)
  return client && { kind: 'client', id: client.client_id, agent_id: client.agent_id }
}

async function findBearer(table: Table, claims: AccessClaims): Promise<Bearer> {
  const bearer = await bearerOf(table, claims)
  if (bearer) return bearer
  ended.set(claims.jti, true)
  throw unauthenticated()
}

function principalOf({ scope }: AccessClaims, { client, grant, maker, person }: Bearer): Principal {
  const scoped = permissionsOfScopes(apiScopesOf(scope))
  const capped = scoped.intersection(grant)
  const { client_id, agent_id, created_by: creator, skip_consent } = client
  const behind = client.document === undefined ? personsOf(client) : [] // nobody here can pose as it
  if (person) {
    const given = skip_consent ? capped : scoped // without consent the client gets at most its creator's rights
    const permissions = given.intersection(person.permissions)
    return { ...personOf(person.user), client_id, permissions, persons: [person.user.id, ...behind] } // all could have made the request
  }
  return {
    kind: 'client',
    id: client_id,
    credential: 'oauth_client',
    permissions: capped,
    roles: [],
    persons: behind,
    creator,
    email_verified: maker?.user.email_verified,
    agent_id,
  }
}

const personOf = (user: User) => ({
  kind: 'user' as const,
  id: user.id,
  credential: 'oauth_user' as const,
  roles: allRoles(user),
  user_id: user.id,
  ...(user.email !== null && { email: user.email }),
  email_verified: user.email_verified,
  proof_due: user.proof_due,
})
