import { mailsAbout } from '../access/outrank.ts'
import { liftBlocks } from '../security-events/lift.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { changedMeanwhile, userUpdated } from '../accounts/user-updated.ts'
import { type User, users } from '../accounts/user.ts'

/** Unblocks an account after failed sign-ins. Changes nothing for an account that is not blocked. */
export async function unlock(ctx: Context, was: Stored<User>): Promise<Stored<User>> {
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
