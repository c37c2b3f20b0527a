import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import { keyWrites } from './keys.ts'
import { USER } from './resource-type.ts'
import { type Person, scimUsers } from './stored-user.ts'
import type { UserChange } from './update-user.ts'
import { claimUserName, releaseUserName, sameUserName } from './user-name.ts'
import { storedText } from './user-view.ts'

/** The writes that store a changed resource and its rows. Inserts them for an account that no directory has written before. */
export async function changedResource(ctx: Context, { id, item }: Person, { was, next }: UserChange): Promise<Write[]> {
  const { space } = ctx
  const at = iso(ctx.now())
  const stored = {
    ...space,
    id,
    resource: storedText(next, space.mode),
    created_at: item?.created_at ?? at,
    updated_at: at,
  }
  const isRenamed = !sameUserName(was.userName, next.userName)
  return [
    item ? scimUsers.replace(stored, item, new Overtaken()) : scimUsers.insert(stored, new Overtaken()),
    ...(isRenamed || !item ? [await claimUserName(ctx, String(next.userName), id)] : []),
    ...(isRenamed && item ? [releaseUserName(ctx, String(was.userName), id)] : []),
    ...keyWrites(space, USER, id, item ? was : {}, next),
  ]
}
