// The live session of a person, and the rules of its life and of its refresh token. A token or a cookie only says who its bearer
// was when it was issued; session and account are read at every use.
import type { Context, Principal } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Table } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { SessionPolicy } from '../../base/tenant/tenant.ts'
import { type Person, personNow } from '../access/permissions.ts'
import { allRoles, type User } from '../accounts/user.ts'
import type { SessionClaims } from './session-token.ts'
import { type Session, sessions, sessionsOf } from './session.ts'
import { sameBytes } from '../../base/lib/json.ts'

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

/** Sessions of a person that would be accepted now, oldest first. */
export async function liveSessionsOf(ctx: Context, user: User): Promise<Session[]> {
  const { tenant_id, id, tokens_valid_after } = user
  const [all, { session_policy: policy }] = await Promise.all([
    sessionsOf(ctx.table, tenant_id, id),
    tenantOf(ctx.table, tenant_id),
  ])
  return all.filter((session) => isAlive(session, { policy, tokens_valid_after, now: ctx.now() }))
}

/** Within this time after a rotation, the former token means a repeated request, not a theft. */
export const RACE_MS = 10_000
export const LAST_SEEN_STEP_MS = 60_000

const OLDER_MAX = 10
/** Characters kept of older hashes: 72 bits do not collide by chance. */
const OLDER_LENGTH = 12

export type Circumstances = {
  policy: SessionPolicy
  /** Of the account: sessions that began before are ended. */
  tokens_valid_after: string | null
  /** ms. */
  now: number
}

/** A tightened policy also applies to sessions that began before. A loosened one does not extend them. */
export function isAlive(session: Session, { policy, tokens_valid_after, now }: Circumstances): boolean {
  if (session.state === 'revoked') return false
  if (tokens_valid_after !== null && (session.kept_at ?? session.created_at) < Date.parse(tokens_valid_after))
    return false
  if (now >= Math.min(session.abs_exp, session.created_at + policy.lifetime_s * 1_000)) return false
  return policy.idle_s === 0 || now < session.last_seen + policy.idle_s * 1_000
}

export const mayRefresh = (session: Session, { policy, now }: Circumstances): boolean =>
  now < Math.min(session.refresh_exp, session.rotated_at + policy.refresh_ttl_s * 1_000)

/** Whether `last_seen` is due. Decided from the item just read, because a refused write costs as much as a successful one. */
export const isToBeNoted = (session: Session, now: number): boolean => now >= session.last_seen + LAST_SEEN_STEP_MS

/**
 * `raced`: another request has just rotated it. `reused`: rotated longer ago, so two parties hold it. `unknown`: never a
 * token of this session, which stays as it is.
 */
export type Presented = 'current' | 'raced' | 'reused' | 'unknown'

/** What a presented refresh token means, by the hash of its secret. */
export function judge(session: Session, hash: string, now: number): Presented {
  if (same(session.rt, hash)) return 'current'
  if (session.prev_rt !== undefined && same(session.prev_rt, hash)) {
    return now < session.rotated_at + RACE_MS ? 'raced' : 'reused'
  }
  return session.older.some((old) => same(old, shortened(hash))) ? 'reused' : 'unknown'
}

const same = (a: string, b: string) => sameBytes(Buffer.from(a), Buffer.from(b))
const shortened = (hash: string) => hash.slice(0, OLDER_LENGTH)

/** What a rotation changes. The refresh token never outlives its session. */
export function rotation(session: Session, hash: string, { policy, now }: Circumstances) {
  const { prev_rt, older, generation, rt, abs_exp } = session
  return {
    rt: hash,
    prev_rt: rt,
    rotated_at: now,
    last_seen: now,
    refresh_exp: Math.min(now + policy.refresh_ttl_s * 1_000, abs_exp),
    generation: generation + 1,
    older: [...(prev_rt === undefined ? [] : [shortened(prev_rt)]), ...older].slice(0, OLDER_MAX),
  }
}
