// Removes factors: one by one by the person, or all at once by an administrator when they are lost.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { type Logout, type Mail, newMail } from '../../ledger/events/mail.ts'
import { logoutsOf } from '../artefacts/logouts.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import type { Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { mailsAbout, mustOutrank } from '../access/outrank.ts'
import { raisedBy } from '../access/raised.ts'
import { ownUser } from '../accounts/find.ts'
import { type User, users } from '../accounts/user.ts'
import { setEnrolled } from './enrol.ts'
import { allFactorsOf, factors, isActive, recoveryCodes } from './factor.ts'
import { mustHaveFreshSignIn } from '../access/assurance.ts'

/**
 * Removes one of the caller's own factors; with the last one go the recovery codes. Throws 403 without a fresh sign-in, 409 for the last
 * factor where the tenant requires one, 404 for a missing factor, also when a concurrent request has removed it.
 */
export async function removeFactor(ctx: Context, factor_id: string): Promise<void> {
  mustHaveFreshSignIn(ctx)
  const [user, { mfa_policy }] = await Promise.all([ownUser(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  const active = (await allFactorsOf(ctx.table, user)).filter(isActive)
  const factor = active.find(({ id }) => id === factor_id)
  if (!factor) throw notFound('factor')
  const last = active.length === 1
  if (last && mfa_policy.enforcement === 'required')
    throw conflict('You cannot remove your last factor, because the tenant requires one. Add another one first.')
  await ctx.table.commit([
    factors.remove(factor, { expression: 'attribute_exists(pk)' }, notFound('factor')),
    ...(last ? [recoveryCodes.remove({ tenant_id: user.tenant_id, user_id: user.id })] : []),
    setEnrolled(ctx, user, !last),
    ...disabled(ctx, user, { how: 'removed', factor_ids: [factor_id] }),
  ])
}

/**
 * Removes all factors of a person and ends their sessions, so that they can sign in with the password alone. Throws 403 for
 * people who outrank the caller, 409 for the caller's own factors. False when there were none.
 */
export async function resetFactors(ctx: Context, user_id: string): Promise<boolean> {
  const user = await ctx.table.get(users, { tenant_id: ctx.space.tenant_id, id: user_id })
  if (!user || user.status === 'deleted') throw notFound('user')
  if (ctx.principal.user_id === user_id) throw conflict('You cannot reset your own factors. Remove them one by one.')
  await mustOutrank(ctx, user)
  const all = await allFactorsOf(ctx.table, user)
  if (all.length === 0 && !user.mfa_enrolled) return false
  const factor_ids = all.map(({ id }) => id)
  const [logouts, mails] = await Promise.all([
    logoutsOf(ctx, user_id),
    mailsAbout(ctx, user, 'the second factors of a person'),
  ])
  await ctx.table.commit([
    ...all.map((factor) => factors.remove(factor)),
    recoveryCodes.remove({ tenant_id: user.tenant_id, user_id }),
    setEnrolled(ctx, user, false, { tokens_valid_after: iso(ctx.now()), raised: await raisedBy(ctx, user) }),
    ...disabled(ctx, user, { how: 'reset', factor_ids }, { logouts, mails }),
  ])
  await endSessions(ctx, user, 'mfa_reset')
  return true
}

type Removal = { how: 'removed' | 'reset'; factor_ids: string[] }

/** Texts of the mail to the person. */
const SAID = { removed: 'a factor was removed', reset: 'all factors were removed by an administrator' }

type Also = { logouts?: Logout[]; mails?: Mail[] }

const disabled = (ctx: Context, user: User, data: Removal, { logouts = [], mails = [] }: Also = {}): Write[] =>
  changed(
    ctx,
    [
      {
        action: 'mfa.disabled',
        artifact: 'identity.mfa.disabled',
        subject: { type: 'user', id: user.id, name: user.name },
        data,
        changes: data.factor_ids.map((before) => ({ path: 'factors', before })),
      },
    ],
    { mails: [newMail(ctx, 'mfa_changed', { user_id: user.id }, { change: SAID[data.how] }), ...mails], logouts },
  )
