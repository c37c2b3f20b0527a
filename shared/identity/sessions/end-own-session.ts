import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { revokeSession } from './end-sessions.ts'
import { sessions } from './session.ts'

/** Throws 404 for somebody else's session, as for one that has ended. */
export async function endOwnSession(ctx: Context, sid: string): Promise<void> {
  const session = await ctx.table.get(sessions, { sid })
  const own = session?.user_id === ctx.principal.user_id && session?.tenant_id === ctx.space.tenant_id
  if (!session || !own || session.state === 'revoked' || session.abs_exp <= ctx.now()) throw notFound('session')
  if (!(await revokeSession(ctx, session, 'ended_by_person'))) throw notFound('session')
}
