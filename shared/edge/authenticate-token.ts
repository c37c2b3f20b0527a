// Tokens of people and of OAuth clients. A token only says who its bearer was when it was issued. Session and account are
// read on every request, together with its first reads.
import { claimedIssuer } from '../identity/access/verify-token.ts'
import type { Space } from '../base/context.ts'
import { env } from '../base/lib/runtime.ts'
import { malformed } from '../base/lib/failure.ts'
import { memory } from '../base/lib/memory.ts'
import { readSessionToken, type SessionClaims } from '../identity/sessions/session-token.ts'
import { type Found, liveSession, noteUse, sessionPrincipal } from '../identity/sessions/live-session.ts'
import type { Table } from '../base/table/table.ts'
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
