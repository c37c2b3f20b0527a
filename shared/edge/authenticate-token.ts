// Tokens of people and of OAuth clients. A token only says who its bearer was when it was issued. Session and account are
// read on every request, together with its first reads.
import { claimedIssuer } from '../identity/access/verify-token.ts'
import type { Context, Principal, Space } from '../base/context.ts'
import { env } from '../base/lib/env.ts'
import { Failure, malformed } from '../base/lib/failure.ts'
import { memory } from '../base/lib/memory.ts'
import { readSessionToken, type SessionClaims } from '../identity/sessions/session-token.ts'
import { isAlive, isToBeNoted } from '../identity/sessions/session-rules.ts'
import { type Session, sessions } from '../identity/sessions/session.ts'
import type { Table } from '../base/table/table.ts'
import { tenantOf } from '../base/tenant/find.ts'
import type { SessionPolicy } from '../base/tenant/tenant.ts'
import { allRoles } from '../identity/accounts/all-roles.ts'
import { type Person, personNow } from '../identity/access/permissions-now.ts'
import { authenticateOAuth } from './authenticate-oauth.ts'
import type { Authenticated, Begin, PresentedToken } from './authenticated.ts'
import { unauthenticated } from '../base/wire/unauthenticated.ts'
import type { Call } from '../base/wire/call.ts'

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
  const caller = { kind: 'user', id: claims.sub } as const
  // An ended session must not count in its tenant's rate limit until its token expires.
  const early = ended.has(claims.sid) ? undefined : begin(call, space, table, caller)
  const found = await findSession(table, claims)
  return {
    space,
    principal: principalOf(found),
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

type Found = Person & { session: Session }

async function findSession(table: Table, { sid, sub: id, tenant_id }: SessionClaims): Promise<Found> {
  const reads = [table.get(sessions, { sid }), personNow(table, { tenant_id, id }), policyOf(table, tenant_id)] as const
  const [session, person, policy] = await Promise.all(reads)
  const user = person?.user
  const theirs = session?.user_id === id && session.tenant_id === tenant_id && user?.status === 'active'
  if (session && person && policy && theirs) {
    const { tokens_valid_after } = person.user
    if (isAlive(session, { policy, tokens_valid_after, now: table.clock.now() })) return { session, ...person }
  }
  ended.set(sid, true)
  throw unauthenticated()
}

async function policyOf(table: Table, tenantId: string): Promise<SessionPolicy | undefined> {
  try {
    return (await tenantOf(table, tenantId)).session_policy
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined
    throw error
  }
}

function principalOf({ session, user, permissions }: Found): Principal {
  return {
    kind: 'user',
    id: user.id,
    credential: 'session',
    permissions,
    roles: allRoles(user),
    persons: [user.id],
    user_id: user.id,
    ...(user.email !== null && { email: user.email }),
    email_verified: user.email_verified,
    session_id: session.sid,
    amr: session.amr,
    signed_in_at: session.created_at,
    mfa_at: session.mfa_at,
    mfa_enrolled: user.mfa_enrolled,
    idp_mfa: session.idp_mfa,
    enrol_only: session.state === 'enrol_only',
  }
}

/** Writes `last_seen` at most once a minute, and never for a session that has ended. */
function noteUse(ctx: Context, session: Session): Promise<void> | undefined {
  const last_seen = ctx.now()
  if (!isToBeNoted(session, last_seen)) return undefined
  const condition = {
    expression: '#last_seen = :was AND #state = :state',
    names: { '#state': 'state' },
    values: { ':was': session.last_seen, ':state': session.state },
  }
  return ctx.table.update(sessions.key(session), { set: { last_seen }, condition }).catch(() => undefined)
}
