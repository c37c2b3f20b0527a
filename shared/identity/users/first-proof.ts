// Before somebody proves that an address is theirs, anybody could have made its account and planted something in it: a session, a
// passkey, a key, a webhook. So a first proof by somebody who has not shown the account's password ends all of that, and the
// account begins anew (decision 0178).
//
// The order matters. The caller first sets a password that nobody knew before; then the sessions and factors end, in one
// commit; then what the account made; and only then is the proof committed. Somebody who held the account before can therefore make
// nothing new while the old ends, and a crash leaves an address without proof, whose person opens the link again.
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { actingAs, changedMeanwhile } from '../accounts/find.ts'
import { setPoolPassword, signOutPoolUser, unguessable } from '../accounts/pool.ts'
import { claimProven, isProven, type User, users } from '../accounts/user.ts'
import { logoutsOf } from '../artefacts/logouts.ts'
import { allFactorsOf, factors, recoveryCodes } from '../mfa/factor.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { endMade } from './end-made.ts'
import { proof } from './verify-email.ts'

/**
 * Ends all that was made with an account whose address nobody has proven, and returns the account as it is then. A proven account
 * stays as it is. `ctx` acts as the person; `before` (ms): only sessions that began before this end.
 */
export async function beginAnew(
  ctx: Context,
  user: Stored<User>,
  { before = ctx.now() }: { before?: number } = {},
): Promise<Stored<User>> {
  if (isProven(user)) return user
  // An invited person has not been able to sign in, but the founder of a tenant has keys before.
  const next = user.status === 'invited' ? user : await endAccess(ctx, user, before)
  await endMade(ctx, next)
  return next
}

async function endAccess(ctx: Context, user: Stored<User>, before: number): Promise<Stored<User>> {
  // A change of the address of a directory's account must not remove the factors of its person, and nobody adds one meanwhile.
  const isKept = user.proof_due !== undefined
  const [all, logouts] = await Promise.all([isKept ? [] : allFactorsOf(ctx.table, user), logoutsOf(ctx, user.id)])
  const now = iso(ctx.now())
  const next: User = {
    ...user,
    mfa_enrolled: isKept && user.mfa_enrolled,
    tokens_valid_after: iso(before),
    updated_at: now,
  }
  await ctx.table.commit([
    users.replace(next, user, changedMeanwhile()),
    ...all.map((factor) => factors.remove(factor)),
    ...(isKept ? [] : [recoveryCodes.remove({ tenant_id: user.tenant_id, user_id: user.id })]),
    ...changed(ctx, [signedOut(user), ...factorsRemoved(user, all)], { logouts }),
  ])
  await Promise.all([signOutPoolUser(user.username), endSessions(ctx, user, 'first_proof')])
  return { ...next, _v: user._v + 1 }
}

const signedOut = ({ id, name }: User): Change => ({
  action: 'user.signed_out',
  artifact: 'identity.session.revoked',
  subject: { type: 'user', id, name },
  data: { why: 'first_proof' },
})

function factorsRemoved({ id, name }: User, removed: readonly { id: string }[]): Change[] {
  if (removed.length === 0) return []
  const factor_ids = removed.map((factor) => factor.id)
  return [
    {
      action: 'mfa.disabled',
      artifact: 'identity.mfa.disabled',
      subject: { type: 'user', id, name },
      data: { how: 'first_proof', factor_ids },
      changes: factor_ids.map((before) => ({ path: 'factors', before })),
    },
  ]
}

/**
 * For a sign-in at the identity provider of the address's domain, which began at `began_at` (ms): proves the address. The password
 * of an account that was not proven ends, too, because a stranger or a directory may have set it.
 */
export async function provenByProvider(ctx: Context, user: Stored<User>, began_at: number): Promise<Stored<User>> {
  if (isProven(user)) return user
  const by = actingAs(ctx, user)
  await setPoolPassword(user.username, unguessable(ctx.random))
  // Sign-ins of OAuth clients are dated in whole seconds, and this one must stay good.
  const fresh = await beginAnew(by, user, { before: Math.floor(began_at / 1_000) * 1_000 - 1 })
  const { next, change } = proof(fresh, 'provider', ctx.now())
  await by.table.commit([
    users.replace(next, fresh, changedMeanwhile()),
    ...claimProven(next),
    ...changed(by, [change]),
  ])
  return { ...next, _v: fresh._v + 1 }
}
