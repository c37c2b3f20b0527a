// Invitations that have not been accepted: finds those of a person, and ends one.
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { withoutLinks } from './change-email.ts'
import { invitedPartition, type User, users } from '../accounts/user.ts'

/** Accounts that this person invited and whose person has not joined yet. */
export async function invitedBy({ table, space }: Context, user_id: string): Promise<Stored<User>[]> {
  const found = await table.query(users, { pk: invitedPartition(space.tenant_id, user_id), index: 'gsi3' })
  return found.filter(
    ({ status, invitation }) => status === 'invited' && invitation?.by === user_id && !invitation.ended_at,
  )
}

/**
 * Makes the links of an invitation invalid. The account stays and can be invited again. False when it was accepted or ended
 * meanwhile.
 */
export async function endInvitation(ctx: Context, was: Stored<User>): Promise<boolean> {
  const now = iso(ctx.now())
  const invitation = was.invitation && { ...was.invitation, ended_at: now }
  const next: User = { ...was, invitation, epochs: withoutLinks(was), updated_at: now }
  const writes = changed(ctx, [
    {
      action: 'user.invitation_revoked',
      artifact: 'identity.invitation.revoked',
      subject: { type: 'user', id: was.id, name: was.name },
      data: { by: was.invitation?.by ?? '' },
    },
  ])
  return isFirst(ctx.table.commit([users.replace(next, was), ...writes]))
}
