// A person changes their own password.
import { mustNotBeBlocked, noteFailure } from '../security-events/attempts.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { invalid } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { logoutsOf } from '../artefacts/logouts.ts'
import { endSessions, ownSession } from '../sessions/end-sessions.ts'
import { sessions } from '../sessions/session.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { checkPassword, revokePoolToken, setPoolPassword } from '../accounts/pool.ts'
import { goodPasswordOf } from './set-password.ts'
import { mustNotBeLeaked } from './leaked-password.ts'
import { ownUser, userUpdated } from '../accounts/find.ts'
import { type User, users } from '../accounts/user.ts'

type Input = { current_password: string; new_password: string }

/**
 * Sets a new password and ends all other sessions of the person, their grants to OAuth clients and sign-ins in progress. Throws
 * 422 when the current password is wrong, or the new one is too weak or known from a leak. The pool has the new password before
 * the commit: if the process dies between them, it is valid, and sessions have not ended yet; the person can change it once more.
 */
export async function changePassword(ctx: Context, { current_password, new_password }: Input): Promise<void> {
  const reads = [ownUser(ctx), ownSession(ctx), tenantOf(ctx.table, ctx.space.tenant_id)] as const
  const [user, session, tenant] = await Promise.all(reads)
  const next = goodPasswordOf(user, tenant, new_password, 'new_password')
  await mustNotBeLeaked(next, 'new_password')
  if (!(await knowsPassword(ctx, user, current_password)))
    throw invalid(
      ['current_password'],
      'This is not your current password. Enter the password that you sign in with now.',
    )
  await setPoolPassword(user.username, next)
  const { sid } = session
  await record(ctx, user, sid)
  await endSessions(ctx, user, 'password_changed', sid)
}

/** Counts a wrong password like one at a sign-in, so that neither a stolen session nor a link is a way to guess it. Throws 429. */
export async function knowsPassword(ctx: Context, user: User, password: string): Promise<boolean> {
  const attempt = { email: user.email ?? user.id, ip: ctx.request.ip, user }
  await mustNotBeBlocked(ctx, attempt)
  const tokens = await checkPassword(user.username, password.normalize('NFC'), ctx.request.ip)
  if (tokens === 'refused') {
    await noteFailure(ctx, attempt)
    return false
  }
  await revokePoolToken(tokens.refresh_token) // the check has signed in to the pool
  return true
}

/**
 * The pool already has the new password, so this commit does not depend on the version of the account. It ends everything
 * that began before, also a sign-in in progress, except the session that the change comes from.
 */
async function record(ctx: Context, user: Stored<User>, sid: string): Promise<void> {
  const now = ctx.now()
  const logouts = await logoutsOf(ctx, user.id)
  const exists = { expression: 'attribute_exists(pk)' }
  const event = userUpdated(user, 1, ['password'], user.source)
  await ctx.table.commit([
    users.update(user, { set: { tokens_valid_after: iso(now), updated_at: iso(now) }, condition: exists }),
    sessions.update({ sid }, { set: { kept_at: now }, condition: exists }),
    ...changed(
      ctx,
      [
        {
          action: 'user.password_changed',
          artifact: 'identity.user.password_changed',
          subject: { type: 'user', id: user.id, name: user.name },
          data: { how: 'change' },
          changes: [{ path: 'password', before: '***', after: '***' }],
          events: [{ ...event, subject: { id: `${user.id}.${ctx.request.request_id}`, version: 1 } }],
        },
      ],
      { mails: [newMail(ctx, 'password_changed', { user_id: user.id })], logouts },
    ),
  ])
}
