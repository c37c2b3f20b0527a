// The two collections of a directory that can be searched: users and groups.
import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { Stored } from '../../base/table/entity.ts'
import { groupsOf, groupsPartition, idsOfGroups, membersOf, type ScimGroup } from './groups/stored-group.ts'
import {
  groupIdsOf,
  idsByAddress,
  idsByDisplayName,
  idsByKey,
  idsByUserName,
  idsOfPeople,
  peopleOf,
} from './users/find-users.ts'
import { groupView } from './groups/view.ts'
import { type Collection, type IndexLookup, listAll, part, tooMany } from './list.ts'
import { SCAN_MAX } from './filter/keys.ts'
import type { Search } from './messages.ts'
import { GROUP, type Resource, USER } from './resource-type.ts'
import { peoplePartition, type Person, userView } from './users/user.ts'

const AT_ONCE = 10

export const PEOPLE: Collection<Person> = {
  type: USER,
  costly: 'groups',
  counted: 'users',
  partition: peoplePartition,
  ids: idsOfPeople,
  idsBy: idsOfPeopleBy,
  read: peopleOf,
  show: showPeople,
}

async function idsOfPeopleBy(ctx: Context, { attribute, value }: IndexLookup): Promise<string[]> {
  switch (attribute) {
    case 'id':
      return [value]
    case 'userName':
      return idsByUserName(ctx, value)
    case 'email':
      return idsByAddress(ctx, value)
    case 'userDisplayName':
      return idsByDisplayName(ctx, value)
    default:
      return idsByKey(ctx, attribute, value)
  }
}

async function showPeople(ctx: Context, people: readonly Person[], withGroups: boolean): Promise<Resource[]> {
  const ids = people.map(({ id }) => id)
  const groups = withGroups ? await groupIdsOf(ctx, ids) : undefined
  return people.map((person) => userView(person, groups?.get(person.id)))
}

export const GROUPS: Collection<Stored<ScimGroup>> = {
  type: GROUP,
  costly: 'members',
  counted: 'groups',
  partition: groupsPartition,
  ids: idsOfGroups,
  idsBy: (ctx, { attribute, value }) =>
    attribute === 'id' || attribute === 'userName' ? Promise.resolve([value]) : idsByKey(ctx, attribute, value),
  read: groupsOf,
  show: showGroups,
}

/** The scan limit counts the members of several groups together. A single group may have more. */
async function showGroups(
  ctx: Context,
  groups: readonly Stored<ScimGroup>[],
  withMembers: boolean,
): Promise<Resource[]> {
  let seen = 0
  return inParallel(AT_ONCE, groups, async (group) => {
    if (!withMembers) return groupView(group, undefined)
    const members = await membersOf(ctx, group.id)
    seen += members.length
    if (groups.length > 1 && seen > SCAN_MAX) throw tooMany()
    return groupView(group, members)
  })
}

/** Users first, then groups. */
export const listDirectory = (ctx: Context, search: Search) => listAll(ctx, [part(PEOPLE), part(GROUPS)], search)
