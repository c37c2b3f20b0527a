// User names. Each belongs to one person of a space, without regard to case: the person who has a row for it, or the account
// with that address.
import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { comparable } from './attribute.ts'
import { findPeopleByUserName, peopleOf } from './find-users.ts'
import { keyRow, scimKeys } from './keys.ts'
import { uniquenessConflict } from './refusal.ts'
import { coreAttribute, USER } from './resource-type.ts'

/** Throws 409 uniqueness when another person has the name. */
export async function mustBeFree(ctx: Context, userName: string, id?: string): Promise<void> {
  const holders = await findPeopleByUserName(ctx, userName)
  if (holders.some((holder) => holder.id !== id)) throw uniquenessConflict('userName')
}

/** Gives the name to a person. Takes over the row of a removed person; throws 409 when another person has it. */
export async function claimUserName(ctx: Context, userName: string, id: string): Promise<Write> {
  const row = keyRow(ctx.space, 'userName', userName, id)
  const former = await ctx.table.get(scimKeys, row)
  if (!former) return scimKeys.insert(row, uniquenessConflict('userName'))
  if (former.id !== id && (await peopleOf(ctx, [former.id])).length > 0) throw uniquenessConflict('userName')
  return scimKeys.replace(row, former, uniquenessConflict('userName'))
}

export const releaseUserName = ({ space }: Context, userName: string, id: string): Write =>
  scimKeys.remove(keyRow(space, 'userName', userName, id))

export function sameUserName(a: unknown, b: unknown): boolean {
  const attribute = coreAttribute(USER, 'userName')
  return attribute !== undefined && comparable(attribute, String(a)) === comparable(attribute, String(b))
}
