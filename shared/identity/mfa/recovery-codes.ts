import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { ownUser } from '../accounts/own-user.ts'
import { users } from '../accounts/user.ts'
import { concurrentAttempt, recoveryCodes } from './factor.ts'
import { mustHaveFreshSignIn } from '../access/recent-factor.ts'
import { hashesOf, newCodes } from './recovery.ts'

const ENROLLED = { '#enrolled': 'mfa_enrolled' }

/**
 * Returns ten new codes, which are shown only here. Earlier codes become invalid. Throws 409 for a person without a factor.
 */
export async function createRecoveryCodes(ctx: Context): Promise<string[]> {
  mustHaveFreshSignIn(ctx)
  const user = await ownUser(ctx)
  const noFactor = conflict('You have no factor that recovery codes could replace. Add a factor first.')
  if (!user.mfa_enrolled) throw noFactor
  const of = { tenant_id: user.tenant_id, user_id: user.id }
  const was = await ctx.table.get(recoveryCodes, of)
  const codes = newCodes(ctx)
  const next = { ...of, codes: await hashesOf(user, codes), created_at: iso(ctx.now()) }
  await ctx.table.commit(
    [
      // Otherwise codes made while the last factor is removed would be valid for the next one.
      users.check(user, { expression: '#enrolled = :yes', names: ENROLLED, values: { ':yes': true } }, noFactor),
      was ? recoveryCodes.replace(next, was, concurrentAttempt()) : recoveryCodes.insert(next, concurrentAttempt()),
      ...changed(
        ctx,
        [
          {
            action: 'mfa.recovery_codes_created',
            artifact: 'identity.mfa.recovery_codes_created',
            subject: { type: 'user', id: user.id, name: user.name },
            data: { count: codes.length },
          },
        ],
        { mails: [newMail(ctx, 'mfa_changed', { user_id: user.id }, { change: 'new recovery codes were made' })] },
      ),
    ],
    user.id,
  )
  return codes
}
