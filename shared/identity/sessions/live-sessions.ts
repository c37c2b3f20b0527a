import type { Context } from '../../base/context.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { User } from '../accounts/user.ts'
import { isAlive } from './session-rules.ts'
import { type Session, sessionsOf } from './session.ts'

/** Sessions of a person that would be accepted now, oldest first. */
export async function liveSessionsOf(ctx: Context, user: User): Promise<Session[]> {
  const { tenant_id, id, tokens_valid_after } = user
  const [all, { session_policy: policy }] = await Promise.all([
    sessionsOf(ctx.table, tenant_id, id),
    tenantOf(ctx.table, tenant_id),
  ])
  return all.filter((session) => isAlive(session, { policy, tokens_valid_after, now: ctx.now() }))
}
