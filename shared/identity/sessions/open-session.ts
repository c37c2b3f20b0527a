// Opens a session after all factors and releases the pool's tokens, and checks whether a tenant lets a person in at all. Tokens
// without a session are not accepted.
import { hashOf, newSecret } from '../access/one-time.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { warn } from '../../base/lib/log.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure, forbidden } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { SessionPolicy, Tenant } from '../../base/tenant/tenant.ts'
import { actingAs } from '../accounts/find.ts'
import type { PoolTokens } from '../accounts/pool.ts'
import { emailHash, emails, type User, users } from '../accounts/user.ts'
import { revokeSession } from './end-sessions.ts'
import { liveSessionsOf } from './live-session.ts'
import { storePoolToken } from './pool-token.ts'
import { type Tokens, tokensView } from './sign-in-view.ts'
import { type Session, sessions, USER_AGENT_MAX } from './session.ts'
import { mustBeAllowed } from '../access/allowlist.ts'
import { writeAuditEntry } from '../../ledger/audit/write-audit-entry.ts'

/** How a person signed in, as far as it is known before the session begins. */
export type SignIn = {
  method: 'password' | 'sso' | 'passkey'
  /** RFC 8176, the second factor included. */
  amr: readonly string[]
  /** The second factor that was shown here, and when (ms). */
  mfa: 'totp' | 'webauthn' | 'recovery_code' | 'none'
  mfa_at?: number | undefined
  /** A second factor at the identity provider counts as one. */
  idp_mfa?: boolean | undefined
  state: 'active' | 'enrol_only'
  anomaly_score: number
  country: string | null
  /** When the identity provider ends the session (ISO 8601). */
  session_cap?: string | undefined
  slo_key?: string | undefined
}

/**
 * Starts the session of a person who has shown all factors, and returns its tokens, which are stored nowhere in clear. Throws 401
 * when the account was suspended or all its sessions were ended during the sign-in. Sessions beyond the tenant's maximum end. The
 * tokens of the pool alone are accepted nowhere, so a crash before the commit leaves nobody signed in.
 */
export async function openSession(
  ctx: Context,
  user: Stored<User>,
  tokens: PoolTokens,
  signIn: SignIn,
): Promise<Tokens> {
  const by = actingAs(ctx, user)
  const { session_policy } = await tenantOf(ctx.table, user.tenant_id)
  const secret = newSecret(ctx.random)
  const session = newSession(by, { sid: tokens.session_id, rt: hashOf(secret), policy: session_policy, signIn })
  const [sealed] = await Promise.all([
    storePoolToken(session, tokens.refresh_token),
    endSurplusSessions(by, user, session_policy),
  ])
  const events = [loginEvent(session, signIn)]
  await by.table.commit([
    sessions.insert(session),
    sealed,
    mustStillBeActive(user),
    ...changed(by, [
      {
        action: 'session.started',
        artifact: 'identity.session.started',
        subject: { type: 'session', id: session.sid },
        data: { user_id: user.id, method: signIn.method, mfa: signIn.mfa, state: signIn.state },
        country: session.country ?? undefined,
        events,
      },
    ]),
  ])
  await noteSignIn(by, user)
  return tokensView(user, session, { ...tokens, secret })
}

/** Fails the commit when the account was suspended, or all its sessions were ended, during the sign-in. */
const mustStillBeActive = ({ tenant_id, id, tokens_valid_after }: User): Write =>
  users.check(
    { tenant_id, id },
    {
      expression: '#status = :active AND #ended = :before',
      names: { '#status': 'status', '#ended': 'tokens_valid_after' },
      values: { ':active': 'active', ':before': tokens_valid_after },
    },
    new Failure('unauthenticated', 'Your credentials are invalid or expired. Sign in again or use another key.'),
  )

type Beginning = { sid: string; rt: string; policy: SessionPolicy; signIn: SignIn }

function newSession(ctx: Context, { sid, rt, policy, signIn }: Beginning): Session {
  const { amr, mfa_at, idp_mfa, state, country, session_cap, slo_key } = signIn
  const now = ctx.now()
  const abs_exp = Math.min(
    now + policy.lifetime_s * 1_000,
    session_cap === undefined ? Number.POSITIVE_INFINITY : Date.parse(session_cap),
  )
  return {
    sid,
    user_id: ctx.principal.id,
    tenant_id: ctx.space.tenant_id,
    created_at: now,
    last_seen: now,
    abs_exp,
    refresh_exp: Math.min(now + policy.refresh_ttl_s * 1_000, abs_exp),
    ip: ctx.request.ip,
    country,
    user_agent: ctx.request.user_agent.slice(0, USER_AGENT_MAX),
    amr: [...amr],
    mfa_at,
    idp_mfa,
    generation: 1,
    rt,
    rotated_at: now,
    older: [],
    state,
    slo_key,
  }
}

/** Ends the least recently used sessions beyond the tenant's maximum. */
async function endSurplusSessions(ctx: Context, user: User, policy: SessionPolicy): Promise<void> {
  const live = (await liveSessionsOf(ctx, user)).toSorted((a, b) => a.last_seen - b.last_seen)
  const surplus = live.slice(0, Math.max(0, live.length + 1 - policy.max_concurrent))
  await Promise.all(surplus.map((session) => revokeSession(ctx, session, 'concurrent_limit')))
}

const loginEvent = (session: Session, { method, mfa, anomaly_score }: SignIn): EventDraft => ({
  type: 'user.login',
  subject: { id: session.sid, version: 1 },
  data: {
    user_id: session.user_id,
    method,
    mfa,
    ip: session.ip,
    user_agent: session.user_agent,
    session_id: session.sid,
    anomaly_score,
  },
})

/** For lists, and for the order in which the accounts of an address are tried. A failure is only logged. */
export async function noteSignIn(ctx: Context, user: User): Promise<void> {
  const { table } = ctx
  const at = iso(ctx.now())
  const condition = { expression: 'attribute_exists(pk)' }
  const marks = [table.update(users.key(user), { set: { last_login_at: at }, condition })]
  if (user.email !== null) {
    const row = emails.key({ email_hash: emailHash(user.email), tenant_id: user.tenant_id })
    marks.push(table.update(row, { set: { last_sign_in_at: at }, condition }))
  }
  await Promise.all(marks).catch((error: unknown) => warn('sign_in_not_noted', error))
}

/**
 * For people who are identified but not signed in yet. Throws 403 for a tenant that is not active or does not accept the
 * address, and writes that to the tenant's audit log, because the request itself belongs to no tenant.
 */
export async function mustBeAllowedIn(ctx: Context, user: User, tenant: Tenant): Promise<void> {
  try {
    if (tenant.status !== 'active') throw forbidden(`Your tenant is ${tenant.status}. Ask an owner of it.`)
    mustBeAllowed(tenant, ctx.request.ip)
  } catch (error) {
    const { id, name } = user
    const reason = error instanceof Error ? error.message : undefined
    const subject = { type: 'user', id, name }
    await writeAuditEntry(actingAs(ctx, user), { action: 'user.sign_in', subject, outcome: 'denied', reason })
    throw error
  }
}
