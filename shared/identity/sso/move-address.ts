import type { Context } from '../../base/context.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { emailChange } from '../users/change-email.ts'
import { isProven, type User } from '../accounts/user.ts'

export type Moved = { next: Stored<User>; writes: readonly Write[]; mails: readonly Mail[] }

/** `next`: the account with all other changes. */
export type Move = (ctx: Context, of: { was: Stored<User>; next: Stored<User>; email: string }) => Promise<Moved>

/** Gives an account the new address of its provider. Both addresses get a mail; neither must be verified. */
export const moveAddress: Move = async (ctx, { was, next, email }) => {
  const by = isProven(was) ? 'provider' : undefined // otherwise the sign-in proves it when it is complete
  const { next: changed, writes, mails } = await emailChange(ctx, was, next, email, by)
  return {
    next: { ...changed, _v: was._v },
    writes,
    mails: mails.filter(({ kind }) => kind === 'email_changed'),
  }
}
