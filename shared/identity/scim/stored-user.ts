// People of a directory as stored. In live mode: an account, and a SCIM resource once a directory has written it. In test
// mode: only the resource, so that tests touch neither the user pool nor an account.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { bound } from '../../base/table/bound.ts'
import { key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { type User, usersPartition } from '../accounts/user.ts'

export const ScimUser = z.object({
  ...resourceMembers,
  /** Canonical JSON in the case of the schema, without id, meta, groups, password and the status of an account. */
  resource: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type ScimUser = z.output<typeof ScimUser>

const testPartition = (space: Space): string => spaceKey(space, 'SCIMUSERS')

export const scimUsers = bound({
  name: 'SCIMUSER',
  schema: ScimUser,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'USER', of.id), sk: 'SCIM' }),
  index: (item) => (item.mode === 'test' ? { gsi1pk: testPartition(item), gsi1sk: key(item.created_at, item.id) } : {}),
})

/** The index partition of all people of a directory, oldest first. Sort keys end in the id. */
export const peoplePartition = (space: Space): string =>
  space.mode === 'live' ? usersPartition(space.tenant_id) : testPartition(space)

/** A person of a directory. At least one of `account` and `item` is present. */
export type Person = { id: string; account?: Stored<User>; item?: Stored<ScimUser> }
