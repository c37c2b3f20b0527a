// Groups of a directory. Each member is a row of its own, so a group has no size limit and one member can change alone.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { bound } from '../../base/table/bound.ts'
import { key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { Raise } from '../accounts/raise.ts'

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
