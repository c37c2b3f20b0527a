import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { raisedBy } from '../access/raised.ts'
import type { Stored } from '../../base/table/entity.ts'
import { enablePoolUser } from '../accounts/pool.ts'
import { USER_STATES } from '../accounts/states.ts'
import { changedMeanwhile, userUpdated } from '../accounts/user-updated.ts'
import { type User, users } from '../accounts/user.ts'

/** Ends a suspension. Sessions and keys are not restored. A person who never accepted their invitation is invited again. */
export async function restore(ctx: Context, user: Stored<User>, source: string): Promise<Stored<User>> {
  await enablePoolUser(user.username) // first: after the commit alone, an active person could not sign in
  const status = neverJoined(user) ? 'invited' : 'active'
  if (user.status === status) return user
  mustAllowMove(USER_STATES, user.status, status)
  const next: User = { ...user, status, raised: await raisedBy(ctx, user), updated_at: iso(ctx.now()) }
  const writes = changed(ctx, [
    {
      action: 'user.restored',
      artifact: 'identity.user.restored',
      subject: { type: 'user', id: user.id, name: user.name },
      data: { status, source },
      changes: [{ path: 'status', before: user.status, after: status }],
      events: [userUpdated(next, user._v + 1, ['status'], source)],
    },
  ])
  await ctx.table.commit([users.replace(next, user, changedMeanwhile()), ...writes], user.id)
  return { ...next, _v: user._v + 1 }
}

/** The unverified address alone is no proof: a changed address is unverified, too. */
const neverJoined = ({ source, email_verified, last_login_at }: User) =>
  source === 'invite' && !email_verified && last_login_at === null
