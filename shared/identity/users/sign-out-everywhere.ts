import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { logoutsOf } from '../artefacts/logouts.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { sessionsOf } from '../sessions/session.ts'
import { changedMeanwhile, findUser } from '../accounts/find.ts'
import { mustOutrankToEnd } from '../access/outrank.ts'
import { signOutPoolUser } from '../accounts/pool.ts'
import { users } from '../accounts/user.ts'

/**
 * Ends all sessions and OAuth tokens of a person with one write. Marking each session as ended only tidies the lists. Throws 403 unless
 * the caller outranks the person, 409 when the account was changed meanwhile.
 */
export async function signOutEverywhere(ctx: Context, id: string): Promise<void> {
  const was = await findUser(ctx, id)
  await mustOutrankToEnd(ctx, was)
  const [sessions, logouts] = await Promise.all([sessionsOf(ctx.table, was.tenant_id, id), logoutsOf(ctx, id)])
  const now = iso(ctx.now())
  const change: Change = {
    action: 'user.signed_out',
    artifact: 'identity.session.revoked',
    subject: { type: 'user', id, name: was.name },
    data: { sessions_revoked: sessions.length },
  }
  const next = { ...was, tokens_valid_after: now, updated_at: now }
  await ctx.table.commit([users.replace(next, was, changedMeanwhile()), ...changed(ctx, [change], { logouts })], id)
  await Promise.all([signOutPoolUser(was.username), endSessions(ctx, was, 'remote_sign_out')])
}
