// Exchanges a refresh token for the next one. The pool is called first and the item is written last, so that a failure in
// between leaves the client's token usable.
import * as z from 'zod'
import { hashOf, newSecret } from '../access/one-time.ts'
import { raise } from '../security-events/raise.ts'
import type { Context } from '../../base/context.ts'
import { conflict, Failure } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { actingAs } from '../accounts/find.ts'
import { refreshPoolTokens } from '../accounts/pool.ts'
import { type User, users } from '../accounts/user.ts'
import { revokeSession } from './end-sessions.ts'
import { mustBeAllowedIn } from './open-session.ts'
import { openPoolToken } from './pool-token.ts'
import { type PoolToken, poolTokens, readRefreshToken, type Session, sessions } from './session.ts'
import { Tokens, tokensView } from './sign-in-view.ts'
import { type Circumstances, isAlive, judge, mayRefresh, rotation } from './live-session.ts'

export const refreshShapes = {
  body: z.strictObject({
    refresh_token: z.string().min(1).max(256).describe('A token to get new tokens. It works once.'),
  }),
  response: Tokens,
}

const refused = () =>
  new Failure('unauthenticated', 'Your credentials are invalid or expired. Sign in again or use another key.')
const alreadyRotated = () => conflict('This refresh token was just exchanged by another request. Use the newer token.')

type Found = {
  session: Stored<Session>
  poolToken: PoolToken
  user: Stored<User>
  tenant: Tenant
  hash: string
  circumstances: Circumstances
}

/**
 * Returns new tokens; the token that was sent works no more. Throws 401 for an invalid token, 403 for an address that the tenant
 * does not accept, 409 for a token that another request has rotated within the last ten seconds. A token that was rotated earlier
 * ends the session, because two parties hold it. A crash before the last write leaves the client's token valid.
 */
export async function refresh(ctx: Context, token: string): Promise<Tokens> {
  const found = await find(ctx, token)
  const { session, user, hash, circumstances } = found
  const presented = judge(session, hash, circumstances.now)
  if (presented === 'current') return rotate(ctx, found)
  if (presented === 'raced') throw alreadyRotated()
  if (presented === 'reused') await endReused(actingAs(ctx, user), session, user)
  throw refused()
}

/** Two parties hold tokens of this session, and either could be the thief, so the session ends. */
async function endReused(ctx: Context, session: Session, user: User): Promise<void> {
  await revokeSession(ctx, session, 'refresh_reuse')
  await raise(ctx, {
    type: 'refresh_reuse',
    severity: 'high',
    action_taken: 'session_revoked',
    ip: ctx.request.ip,
    user,
    details: { session_id: session.sid },
    once: { of: session.sid, ms: session.abs_exp - session.created_at },
    notify: 'administrators',
  })
}

/** Reads everything about a token of a live session. Throws 401 for any other. */
async function find(ctx: Context, token: string): Promise<Found> {
  const { table } = ctx
  const named = readRefreshToken(token)
  if (!named) throw refused()
  const [session, poolToken] = await Promise.all([table.get(sessions, named), table.get(poolTokens, named)])
  if (!session || !poolToken) throw refused()
  const { tenant_id, user_id } = session
  const [user, tenant] = await Promise.all([table.get(users, { tenant_id, id: user_id }), tenantOf(table, tenant_id)])
  if (user?.status !== 'active' || tenant.status !== 'active') throw refused()
  const { tokens_valid_after } = user
  const circumstances = { policy: tenant.session_policy, tokens_valid_after, now: ctx.now() }
  if (!isAlive(session, circumstances) || !mayRefresh(session, circumstances)) throw refused()
  return { session, poolToken, user, tenant, hash: named.hash, circumstances }
}

async function rotate(ctx: Context, { session, poolToken, user, tenant, circumstances }: Found): Promise<Tokens> {
  await mustBeAllowedIn(ctx, user, tenant)
  const access = await refreshPoolTokens(await openPoolToken(poolToken))
  if (access === 'revoked') {
    await revokeSession(actingAs(ctx, user), session, 'pool_revoked')
    throw refused()
  }
  const secret = newSecret(ctx.random)
  const change = rotation(session, hashOf(secret), circumstances)
  await ctx.table.commit([rotated(session, change)])
  return tokensView(user, { ...session, ...change }, { ...access, secret })
}

/** Of concurrent requests with the same token one wins. A session that was ended meanwhile stays ended. */
const rotated = (was: Stored<Session>, change: Partial<Session>): Write =>
  sessions.replace({ ...was, ...change }, was, alreadyRotated())
