// Views of single resources. Groups and members are read only if the response includes them.
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { findGroup, membersOf } from './find-groups.ts'
import { findPerson, groupIdsOf } from './find-users.ts'
import { withoutMembersIfTooLarge, mustFit } from './response-length.ts'
import { groupView } from './group-view.ts'
import { GROUP, type Resource, USER } from './resource-type.ts'
import { type Selection, isSelected } from './select.ts'
import type { ScimGroup } from './stored-group.ts'
import type { Person } from './stored-user.ts'
import { userView } from './user-view.ts'

export async function showUser(ctx: Context, id: string, selection: Selection): Promise<Resource> {
  const [person, groups] = await Promise.all([findPerson(ctx, id), groupsIfSelected(ctx, id, selection)])
  return userView(person, groups)
}

export const showPerson = async (ctx: Context, person: Person, selection: Selection): Promise<Resource> =>
  userView(person, await groupsIfSelected(ctx, person.id, selection))

async function groupsIfSelected(ctx: Context, id: string, selection: Selection): Promise<string[] | undefined> {
  return isSelected(USER, selection, 'groups') ? (await groupIdsOf(ctx, [id])).get(id) : undefined
}

export const showGroup = async (ctx: Context, id: string, selection: Selection): Promise<Resource> =>
  mustFit(await wholeGroup(ctx, await findGroup(ctx, id), selection))

/** The view after a change of the group. */
export const showStoredGroup = async (ctx: Context, group: Stored<ScimGroup>, selection: Selection) =>
  withoutMembersIfTooLarge(await wholeGroup(ctx, group, selection))

async function wholeGroup(ctx: Context, group: Stored<ScimGroup>, selection: Selection): Promise<Resource> {
  return groupView(group, isSelected(GROUP, selection, 'members') ? await membersOf(ctx, group.id) : undefined)
}
