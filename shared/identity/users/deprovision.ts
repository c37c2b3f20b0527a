// Ends a person's access, temporarily or for good. The first commit ends all of it: the account's status and its
// `tokens_valid_after` are read at every request, and the keys that the person made are revoked in the same transaction. The
// rest cleans up the pool and what the person made. A repeated request cleans up again after a crash.
import { activeKeys, endedWithPerson, KEYS_AT_ONCE, keysOfPerson, revocation, revokeAll } from '../access/revocation.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { logoutsOf } from '../artefacts/logouts.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { sessionsOf } from '../sessions/session.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { mustLeaveOwner } from './set-roles.ts'
import { addressLeft, releaseAddress } from './change-email.ts'
import { headCountWrite } from '../accounts/head-count.ts'
import { deletePoolUser, disablePoolUser } from '../accounts/pool.ts'
import { emailHash, type User, USER_STATES, users, verifiedAs } from '../accounts/user.ts'
import { changedMeanwhile } from '../accounts/find.ts'

/** `source`: where the decision came from (`api`, `scim`). */
type Decision = { to: 'suspended' | 'deleted'; source: string }

/** The layers above this one hold things of a person, too. They pass these functions, which end them. */
export type LeaveBehind = {
  /** How many tasks of the person go back. */
  countTasks: (ctx: Context, userId: string) => Promise<number>
  /** Ends or hands over what the person made. May be repeated. */
  end: (ctx: Context, user: User) => Promise<void>
}

export type Deprovisioning = Decision & { leaveBehind: LeaveBehind }

/**
 * Suspends or deletes an account. All access has ended when the first commit is done; cleaning up follows. Throws 409 for the last
 * active owner, and when the account was changed meanwhile. An account that already has the status is only cleaned up again, which
 * finishes what a crash left.
 */
export async function deprovision(
  ctx: Context,
  user: Stored<User>,
  { leaveBehind, ...how }: Deprovisioning,
): Promise<Stored<User>> {
  if (user.status === how.to) {
    await tidyUp(ctx, user, leaveBehind)
    return user
  }
  mustAllowMove(USER_STATES, user.status, how.to)
  const [guards, keys, sessions, logouts, tasks_reassigned] = await Promise.all([
    mustLeaveOwner(ctx, user),
    keysOfPerson(ctx, user.id),
    sessionsOf(ctx.table, user.tenant_id, user.id),
    logoutsOf(ctx, user.id),
    leaveBehind.countTasks(ctx, user.id),
  ])
  const active = activeKeys(ctx, keys.own)
  await revokeAll(ctx, active.slice(KEYS_AT_ONCE)) // so that the rest fits into the transaction
  const last = active.slice(0, KEYS_AT_ONCE)
  const next = ended(user, how.to, ctx.now())
  const counts = { sessions_revoked: sessions.length, keys_revoked: active.length, tasks_reassigned }
  await ctx.table.commit(
    [
      users.replace(next, user, changedMeanwhile()),
      ...guards,
      ...(how.to === 'deleted' ? leaving(user) : []),
      ...last.flatMap((key) => revocation(key, ctx.now())),
      ...changed(ctx, [deprovisioned(user, next, { ...how, ...counts }), ...last.map((key) => endedWithPerson(key))], {
        logouts,
      }),
    ],
    user.id,
  )
  await tidyUp(ctx, next, leaveBehind)
  return { ...next, _v: user._v + 1 }
}

/** A deleted account keeps its id only. */
function ended(user: User, to: Decision['to'], now: number): User {
  const at = { tokens_valid_after: iso(now), updated_at: iso(now) }
  if (to === 'suspended') return { ...user, ...at, status: to }
  const nothing = { roles: [], group_roles: [], sso_roles: [], grants: [], denies: [] }
  return { ...user, ...at, ...nothing, name: '', email: null, ...verifiedAs(undefined), status: to }
}

/** The address of a deleted account can be invited again. */
function leaving(user: User): Write[] {
  const { tenant_id, id, email } = user
  const fewer = headCountWrite({ tenant_id, mode: 'live' }, 'users', id, -1)
  if (email === null) return [fewer]
  const email_hash = emailHash(email)
  return [fewer, releaseAddress(email_hash, user), addressLeft({ tenant_id, email_hash })]
}

type Facts = Decision & { sessions_revoked: number; keys_revoked: number; tasks_reassigned: number }

function deprovisioned(was: Stored<User>, next: User, { to, source, ...counts }: Facts): Change {
  const { id, name, email } = was
  return {
    action: to === 'deleted' ? 'user.deleted' : 'user.suspended',
    artifact: 'identity.user.deprovisioned',
    subject: { type: 'user', id, name },
    data: { status: to, source, ...counts },
    changes: [{ path: 'status', before: was.status, after: next.status }],
    events: [
      {
        type: 'user.deprovisioned',
        subject: { id, version: was._v + 1 },
        // People have no tasks yet, so none are reassigned.
        data: { user_id: id, email: email ?? '', source, ...counts },
      },
    ],
  }
}

/** Reads the keys again, because the index may have missed keys of the last second. */
async function tidyUp(ctx: Context, user: User, leaveBehind: LeaveBehind): Promise<void> {
  const leavePool = user.status === 'deleted' ? deletePoolUser : disablePoolUser
  const [{ own }] = await Promise.all([
    keysOfPerson(ctx, user.id),
    leavePool(user.username),
    endSessions(ctx, user, 'account_ended'),
  ])
  await revokeAll(ctx, activeKeys(ctx, own))
  await leaveBehind.end(ctx, user)
}
