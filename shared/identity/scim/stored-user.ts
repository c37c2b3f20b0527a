// People of a directory as they are stored: in live mode an account with, if a directory has ever written it, its SCIM
// resource beside it; in test mode the resource alone, which touches neither the pool nor any account.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { type User, usersPartition } from '../users/user.ts'

export const ScimUser = z.object({
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  id: z.string(),
  /** Canonical JSON in schema case, without what is kept elsewhere: id, meta, groups, passwords, and an account's status. */
  resource: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type ScimUser = z.output<typeof ScimUser>

const testPartition = (space: Space): string => spaceKey(space, 'SCIMUSERS')

export const scimUsers = entity({
  name: 'SCIMUSER',
  schema: ScimUser,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'USER', of.id), sk: 'SCIM' }),
  index: (item) => (item.mode === 'test' ? { gsi1pk: testPartition(item), gsi1sk: key(item.created_at, item.id) } : {}),
})

/** The index partition of everybody in a directory, oldest first; sort keys end in the id. */
export const peoplePartition = (space: Space): string =>
  space.mode === 'live' ? usersPartition(space.tenant_id) : testPartition(space)

/** Somebody in a directory. One of the two parts is always there. */
export type Person = { id: string; account?: Stored<User>; item?: Stored<ScimUser> }
