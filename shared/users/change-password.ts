import { assertNotBlocked, noteFailure } from '../anomaly/attempts.ts'
import { changed } from '../audit/changed.ts'
import type { Context } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { invalid } from '../lib/failure.ts'
import { newMail } from '../mail/mail.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import type { Stored } from '../table/entity.ts'
import { tenantOf } from '../tenants/find.ts'
import { checkPassword, revokePoolToken, setPoolPassword } from './pool.ts'
import { goodPasswordOf } from './set-password.ts'
import { mustNotBeLeaked } from './leaked-password.ts'
import { own } from './own.ts'
import { userUpdated } from './update-user.ts'
import { type User, users } from './user.ts'

type Input = { current_password: string; new_password: string }

/** All other sessions of the person end. Throws 422 when the present password is another one. */
export async function changePassword(ctx: Context, { current_password, new_password }: Input): Promise<void> {
  const [user, tenant] = await Promise.all([own(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  const next = goodPasswordOf(user, tenant, new_password, 'new_password')
  await mustNotBeLeaked(next, 'new_password')
  const attempt = { email: user.email ?? user.id, ip: ctx.request.ip, user }
  await assertNotBlocked(ctx, attempt)
  const tokens = await checkPassword(user.username, current_password.normalize('NFC'), ctx.request.ip)
  if (tokens === 'refused') {
    await noteFailure(ctx, attempt) // whoever holds a session must not find out the password with it
    throw invalid(['current_password'], 'is not the present password')
  }
  await revokePoolToken(tokens.refresh_token) // the check signed in once more
  await setPoolPassword(user.username, next)
  await endSessions(ctx, user, 'password_changed', ctx.principal.session_id)
  await record(ctx, user)
}

/** The password is changed by now, whatever else has happened to the account: so no version is asked for. */
async function record(ctx: Context, user: Stored<User>): Promise<void> {
  const exists = { expression: 'attribute_exists(pk)' }
  const event = userUpdated(user, 1, ['password'], user.source)
  await ctx.table.commit([
    users.update(user, { set: { updated_at: iso(ctx.now()) }, condition: exists }),
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
      { mails: [newMail(ctx, 'password_changed', { user_id: user.id })] },
    ),
  ])
}
