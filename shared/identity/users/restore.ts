import { freshCustomRoles, isMoreThanMember } from '../access/permissions.ts'
import { mailsAbout } from '../access/outrank.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { raisedBy } from '../access/raised.ts'
import type { Stored } from '../../base/table/entity.ts'
import { enablePoolUser } from '../accounts/pool.ts'
import { stronger, type User, USER_STATES, users } from '../accounts/user.ts'
import { changedMeanwhile, userUpdated } from '../accounts/find.ts'

/**
 * Ends a suspension. Sessions and keys are not restored. A person who never accepted their invitation is invited again. A person whom
 * a directory restores proves that the mailbox is theirs before they may do more than a member. The caller has checked the rank. An
 * account that is active already stays as it is, so a repetition finishes what a crash left.
 */
export async function restore(ctx: Context, user: Stored<User>, source: 'api' | 'scim'): Promise<Stored<User>> {
  await enablePoolUser(user.username) // first: after the commit alone, an active person could not sign in
  const status = neverJoined(user) ? 'invited' : 'active'
  if (user.status === status) return user
  mustAllowMove(USER_STATES, user.status, status)
  const proof_due = source === 'scim' ? stronger(user.proof_due, 'address') : user.proof_due
  const next: User = { ...user, status, proof_due, raised: await raisedBy(ctx, user), updated_at: iso(ctx.now()) }
  const mails = source === 'scim' ? await linkFor(ctx, next) : await mailsAbout(ctx, user, 'the suspension of a person')
  const writes = changed(
    ctx,
    [
      {
        action: 'user.restored',
        artifact: 'identity.user.restored',
        subject: { type: 'user', id: user.id, name: user.name },
        data: { status, source },
        changes: [{ path: 'status', before: user.status, after: status }],
        events: [userUpdated(next, user._v + 1, ['status'], source)],
      },
    ],
    { mails },
  )
  await ctx.table.commit([users.replace(next, user, changedMeanwhile()), ...writes], user.id)
  return { ...next, _v: user._v + 1 }
}

/** A member needs no proof for what they may do, so they get no mail. */
async function linkFor(ctx: Context, user: User): Promise<Mail[]> {
  const roles = await freshCustomRoles(ctx.table, user.tenant_id)
  return isMoreThanMember(user, roles) ? [newMail(ctx, 'verify_email', { user_id: user.id })] : []
}

/** The unverified address alone is no proof: a changed address is unverified, too. */
const neverJoined = ({ source, email_verified, verified_by, last_login_at }: User) =>
  source === 'invite' && (!email_verified || verified_by === 'operator') && last_login_at === null
