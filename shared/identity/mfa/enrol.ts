// Adds a factor: the checks before, and the changes of account and session after.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { ownUser } from '../accounts/find.ts'
import { type User, users } from '../accounts/user.ts'
import { mustBeProven, mustHaveFreshSignIn } from '../access/assurance.ts'
import { allFactorsOf, type Factor, FACTORS_MAX, isActive } from './factor.ts'
import { mayEnrol } from './policy.ts'
import { codesOfFirstFactor } from './recovery.ts'
import { unauthenticated } from '../../base/wire/call.ts'
import { type Session, sessions } from '../sessions/session.ts'

/** Throws 403 when the sign-in is not fresh or the tenant does not allow factors of this kind, 409 beyond ten. */
export async function beginEnrolment(ctx: Context, method: Factor['type']) {
  mustHaveFreshSignIn(ctx)
  const [user, { mfa_policy }] = await Promise.all([ownUser(ctx), tenantOf(ctx.table, ctx.space.tenant_id)])
  mustBeProven(user, 'You cannot add a factor yet.') // otherwise the factor of somebody else could stay when the person proves who they are
  if (!mayEnrol(mfa_policy, method))
    throw forbidden(`The tenant does not allow factors of type ${method}. Add a factor of another type.`)
  const all = await allFactorsOf(ctx.table, user)
  const active = all.filter(isActive)
  if (active.length >= FACTORS_MAX)
    throw conflict(`You have ${FACTORS_MAX} factors and can have no more. Remove one first.`)
  return { user, active, waiting: all.filter((factor) => !isActive(factor)) }
}

/** Changes the account as it was read, so that concurrent changes of factors cannot leave `mfa_enrolled` wrong. */
export const setEnrolled = (ctx: Context, user: Stored<User>, mfa_enrolled: boolean, also = {}): Write =>
  users.replace(
    { ...user, mfa_enrolled, updated_at: iso(ctx.now()), ...also },
    user,
    conflict('The account was changed by another request. Try again.', { code: 'version_conflict' }),
  )

/** `amr`: how the person has just used it (RFC 8176). */
type Enrolled = { user: Stored<User>; factor: Factor; amr: readonly string[] }

export type Enrolment = { writes: Write[]; recovery_codes?: string[] | undefined }

/**
 * The writes for a factor that has proved to work. A session that may only enrol becomes a full session. With the first factor
 * come recovery codes, so that nobody who loses it is locked out for not having asked for them.
 */
export async function enrolment(ctx: Context, { user, factor, amr }: Enrolled): Promise<Enrolment> {
  const { id, type } = factor
  const { codes: recovery_codes, writes = [], changes } = await codesOfFirstFactor(ctx, user)
  const events = user.mfa_enrolled ? [] : [enabledEvent(user, factor)]
  const all = [
    ...writes,
    setEnrolled(ctx, user, true),
    ...(await factorUseWrites(ctx, amr, ctx.now(), { state: 'active' })),
    ...changed(
      ctx,
      [
        {
          action: 'mfa.enabled',
          artifact: 'identity.mfa.enabled',
          subject: { type: 'user', id: user.id, name: user.name },
          data: { factor_id: id, factor: type },
          changes: [{ path: 'factors', after: id }],
          events,
        },
        ...changes,
      ],
      { mails: [newMail(ctx, 'mfa_changed', { user_id: user.id }, { change: ADDED[type] })] },
    ),
  ]
  return { writes: all, recovery_codes }
}

/** Texts of the mail to the person. */
const ADDED = { totp: 'an authenticator app was added', webauthn: 'a passkey or security key was added' }

const enabledEvent = (user: User, factor: Factor): EventDraft => ({
  type: 'user.mfa.enabled',
  subject: { id: factor.id, version: 1 },
  data: { user_id: user.id, factor: factor.type === 'webauthn' && factor.synced ? 'passkey' : factor.type },
})

/** The write that notes on the caller's session that a factor was shown. Throws 401 when the session has ended. */
export async function factorUseWrites(
  { principal, table }: Context,
  amr: readonly string[],
  mfa_at: number,
  set: Partial<Session> = {},
): Promise<Write[]> {
  const { session_id: sid } = principal
  if (sid === undefined) return []
  const was = await table.get(sessions, { sid })
  if (!was || was.state === 'revoked') throw unauthenticated()
  const next = { ...was, ...set, mfa_at, amr: [...new Set([...was.amr, ...amr])] }
  return [sessions.replace(next, was, conflict('The session was changed by another request. Try again.'))]
}
