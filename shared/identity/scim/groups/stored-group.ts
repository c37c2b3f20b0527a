// Groups of a directory. Each member is a row of its own, so a group has no size limit and one member can change alone.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { bound } from '../../../base/table/bound.ts'
import { key, spaceKey, type Stored } from '../../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../../base/table/members.ts'
import { Raise } from '../../accounts/raise.ts'
import { ID } from '../../../base/wire/fields.ts'
import { notFound } from '../../../base/lib/failure.ts'

export const ScimGroup = z.object({
  ...resourceMembers,
  displayName: z.string(),
  externalId: z.string().optional(),
  /** Who gave it its name, which may give it roles; see accounts/raise.ts. */
  raised: z.array(Raise).optional(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type ScimGroup = z.output<typeof ScimGroup>

export const groupsPartition = (space: Space): string => spaceKey(space, 'GROUPS')
export const groupPartition = (space: Space, id: string): string => spaceKey(space, 'GROUP', id)

/** The index partition with the groups of one member, sorted by their ids. */
export const userGroupsPartition = (space: Space, id: string): string => spaceKey(space, 'USERGROUPS', id)

export const scimGroups = bound({
  name: 'SCIMGROUP',
  schema: ScimGroup,
  key: (of: Space & { id: string }) => ({ pk: groupPartition(of, of.id), sk: 'GROUP' }),
  index: (item) => ({ gsi1pk: groupsPartition(item), gsi1sk: key(item.created_at, item.id) }),
})

export const ScimMember = z.object({
  ...spaceMembers,
  group_id: z.string(),
  /** The id of a user or group. An unknown id is kept and has no effect until the resource exists. */
  value: z.string(),
  type: z.enum(['User', 'Group']),
  display: z.string().optional(),
})
export type ScimMember = z.output<typeof ScimMember>

export const scimMembers = bound({
  name: 'SCIMMEMBER',
  schema: ScimMember,
  key: (of: Space & { group_id: string; value: string }) => ({
    pk: groupPartition(of, of.group_id),
    sk: key('MEMBER', of.value),
  }),
  index: (item) => ({ gsi1pk: userGroupsPartition(item, item.value), gsi1sk: item.group_id }),
})

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
