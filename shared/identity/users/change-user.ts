// Changes by an administrator to an account: name, address, status, lock.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { canonicalMailbox } from '../../base/lib/mailbox.ts'
import { emailChange } from './change-email.ts'
import { deprovision, type LeaveBehind } from './deprovision.ts'
import { changedMeanwhile, findUser, userUpdated } from '../accounts/find.ts'
import { mailsAbout, mustOutrank, mustOutrankToEnd } from '../access/outrank.ts'
import { restore } from './restore.ts'
import { type User, users } from '../accounts/user.ts'
import { liftBlocks } from '../security-events/attempts.ts'

export type UserChange = {
  name?: string | undefined
  email?: string | undefined
  status?: 'active' | 'suspended' | undefined
  locked?: false | undefined
  version?: number | undefined
  leaveBehind: LeaveBehind
}

/** `unchanged`: the account already had these values. */
export type Outcome = { user: Stored<User>; unchanged: boolean }

/**
 * Changes name, address, status and lock of an account. Throws 403 unless the caller outranks the account, in person where the
 * change lets somebody in; 409 for the own status, for the last active owner, and for a version that is no longer current. Each
 * part is a transaction of its own: after a failure between them a repetition makes those that are left.
 */
export async function changeUser(ctx: Context, id: string, change: UserChange): Promise<Outcome> {
  const was = await findUser(ctx, id)
  mustBeCurrent(change.version, was._v)
  if (change.status !== undefined && ctx.principal.user_id === id)
    throw conflict('You cannot change your own status. Ask another owner.')
  // Checked first, because each part of the change is a transaction of its own.
  await (opens(was, change) ? mustOutrank(ctx, was) : mustOutrankToEnd(ctx, was))
  const profiled = await changeProfile(ctx, was, change)
  const unlocked = change.locked === false ? await unlock(ctx, profiled) : profiled
  const user =
    change.status === undefined ? unlocked : await changeStatus(ctx, unlocked, change.status, change.leaveBehind)
  return { user, unchanged: user._v === was._v }
}

/** Whether somebody could come in by the change who cannot now. */
const opens = (was: User, { email, status, locked }: UserChange): boolean =>
  isNewAddress(was, email) || status === 'active' || locked === false

const isNewAddress = (was: User, email: string | undefined): email is string =>
  email !== undefined && email !== (was.email === null ? null : (canonicalMailbox(was.email) ?? was.email))

const changeStatus = (
  ctx: Context,
  user: Stored<User>,
  status: 'active' | 'suspended',
  leaveBehind: LeaveBehind,
): Promise<Stored<User>> =>
  status === 'active'
    ? restore(ctx, user, 'api')
    : deprovision(ctx, user, { to: 'suspended', source: 'api', leaveBehind })

type Profile = { next: User; writes: Write[]; mails: Mail[] }

async function changeProfile(ctx: Context, was: Stored<User>, change: UserChange): Promise<Stored<User>> {
  const { next, writes, mails } = await profileOf(ctx, was, change)
  const fields = (['name', 'email'] as const).filter((field) => next[field] !== was[field])
  if (fields.length === 0) return was
  const recorded = changed(
    ctx,
    [
      {
        action: 'user.updated',
        artifact: 'identity.user.updated',
        subject: { type: 'user', id: was.id, name: next.name },
        data: { changed_fields: fields },
        changes: fields.map((path) => ({ path, before: '***', after: '***' })),
        events: [userUpdated(next, was._v + 1, fields, 'api')],
      },
    ],
    { mails },
  )
  await ctx.table.commit([users.replace(next, was, changedMeanwhile()), ...writes, ...recorded], was.id)
  return { ...next, _v: was._v + 1 }
}

async function profileOf(ctx: Context, was: Stored<User>, { name, email }: UserChange): Promise<Profile> {
  const { _v, ...user } = was
  const named: User = { ...user, ...(name !== undefined && { name }), updated_at: iso(ctx.now()) }
  if (!isNewAddress(was, email)) return { next: named, writes: [], mails: [] }
  // The address is now one that a person vouches for, but somebody may know the password.
  if (named.proof_due === 'provider') named.proof_due = 'password'
  const { mails, ...rest } = await emailChange(ctx, was, named, email)
  return { ...rest, mails: [...mails, ...(await mailsAbout(ctx, was, 'the address of a person'))] }
}

/** Unblocks an account after failed sign-ins. Changes nothing for an account that is not blocked. */
async function unlock(ctx: Context, was: Stored<User>): Promise<Stored<User>> {
  if (was.locked_until === null) return was
  const { _v, ...user } = was
  const next: User = { ...user, locked_until: null, updated_at: iso(ctx.now()) }
  const writes = changed(
    ctx,
    [
      {
        action: 'user.unlocked',
        artifact: 'identity.user.updated',
        subject: { type: 'user', id: was.id, name: was.name },
        data: { changed_fields: ['locked_until'] },
        changes: [{ path: 'locked_until', before: was.locked_until, after: null }],
        events: [userUpdated(next, _v + 1, ['locked_until'], 'api')],
      },
    ],
    { mails: await mailsAbout(ctx, was, 'the block of an account after failed sign-ins') },
  )
  const lifted = await liftBlocks(ctx, was)
  await ctx.table.commit([users.replace(next, was, changedMeanwhile()), ...lifted, ...writes], was.id)
  return { ...next, _v: _v + 1 }
}
