// The live session of a person. A token or a cookie only says who its bearer was when it was issued; session and account are
// read at every use.
import type { Context, Principal } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Table } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { SessionPolicy } from '../../base/tenant/tenant.ts'
import { type Person, personNow } from '../access/permissions.ts'
import { allRoles } from '../accounts/user.ts'
import { isAlive, isToBeNoted } from './session-rules.ts'
import type { SessionClaims } from './session-token.ts'
import { type Session, sessions } from './session.ts'

export type Found = Person & { session: Session }

/** Undefined when the session has ended, or its person may no longer act. */
export async function liveSession(
  table: Table,
  { sid, sub: id, tenant_id }: SessionClaims,
): Promise<Found | undefined> {
  const reads = [table.get(sessions, { sid }), personNow(table, { tenant_id, id }), policyOf(table, tenant_id)] as const
  const [session, person, policy] = await Promise.all(reads)
  const user = person?.user
  const theirs = session?.user_id === id && session.tenant_id === tenant_id && user?.status === 'active'
  if (!session || !person || !policy || !theirs) return undefined
  const { tokens_valid_after } = person.user
  return isAlive(session, { policy, tokens_valid_after, now: table.clock.now() }) ? { session, ...person } : undefined
}

async function policyOf(table: Table, tenantId: string): Promise<SessionPolicy | undefined> {
  try {
    return (await tenantOf(table, tenantId)).session_policy
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return undefined
    throw error
  }
}

export function sessionPrincipal({ session, user, permissions, raised }: Found): Principal {
  return {
    kind: 'user',
    id: user.id,
    credential: 'session',
    permissions,
    roles: allRoles(user),
    persons: [user.id],
    raised_by: raised.map(({ by }) => by),
    user_id: user.id,
    ...(user.email !== null && { email: user.email }),
    email_verified: user.email_verified,
    proof_due: user.proof_due,
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
export function noteUse(ctx: Context, session: Session): Promise<void> | undefined {
  const last_seen = ctx.now()
  if (!isToBeNoted(session, last_seen)) return undefined
  const condition = {
    expression: '#last_seen = :was AND #state = :state',
    names: { '#state': 'state' },
    values: { ':was': session.last_seen, ':state': session.state },
  }
  return ctx.table.update(sessions.key(session), { set: { last_seen }, condition }).catch(() => undefined)
}
