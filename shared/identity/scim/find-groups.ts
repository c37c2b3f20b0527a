import type { Context } from '../../base/context.ts'
import { ID } from '../../base/wire/fields.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import {
  groupPartition,
  groupsPartition,
  type ScimGroup,
  scimGroups,
  type ScimMember,
  scimMembers,
} from './stored-group.ts'

/** Throws the same 404 for missing groups and for those of other tenants. */
export async function findGroup({ table, space }: Context, id: string): Promise<Stored<ScimGroup>> {
  const group = await table.get(scimGroups, { ...space, id })
  if (!group) throw notFound('directory group')
  return group
}

/** In the order of `ids`, without missing groups. */
export const groupsOf = ({ table, space }: Context, ids: readonly string[]): Promise<Stored<ScimGroup>[]> =>
  table.getAll(
    scimGroups,
    [...new Set(ids)].filter((id) => ID.test(id)).map((id) => ({ ...space, id })),
  )

/** Ids of all groups, oldest first, at most `limit`. */
export async function idsOfGroups({ table, space }: Context, limit: number): Promise<string[]> {
  const keys = await table.keys({ pk: groupsPartition(space), index: 'gsi1', limit })
  return keys.map(({ sort }) => sort.slice(sort.indexOf('#') + 1))
}

/** All members of a group, in the order of their ids. */
export const membersOf = ({ table, space }: Context, groupId: string): Promise<Stored<ScimMember>[]> =>
  table.query(scimMembers, { pk: groupPartition(space, groupId), prefix: 'MEMBER#' })

/** The members of a group whose ids are given. */
export const membersAmong = ({ table, space }: Context, groupId: string, ids: readonly string[]) =>
  table.getAll(
    scimMembers,
    ids.map((value) => ({ ...space, group_id: groupId, value })),
  )
