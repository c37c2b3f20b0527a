import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { changedMeanwhile, ownUser, userUpdated } from '../accounts/find.ts'
import { type User, users } from '../accounts/user.ts'

/** Changes the caller's own name. */
export async function renameSelf(ctx: Context, name: string): Promise<Stored<User>> {
  const was = await ownUser(ctx)
  const next = { ...was, name, updated_at: iso(ctx.now()) }
  await ctx.table.commit(
    [
      users.replace(next, was, changedMeanwhile()),
      ...changed(ctx, [
        {
          action: 'user.updated',
          artifact: 'identity.user.updated',
          subject: { type: 'user', id: was.id, name },
          data: { changed_fields: ['name'] },
          changes: [{ path: 'name', before: was.name, after: name }],
          events: [userUpdated(next, was._v + 1, ['name'], was.source)],
        },
      ]),
    ],
    was.id,
  )
  return { ...next, _v: was._v + 1 }
}
