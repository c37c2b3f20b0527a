// What people may do now. Accounts and custom roles are read at every request and never cached. Only the names of a person's
// custom roles are remembered, so that those roles are read in the same round trip as the account.
import { type CustomRole, customRoles } from './custom-role.ts'
import { type Permission, ROLES } from '../../base/catalog/permissions.ts'
import { memory } from '../../base/lib/memory.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { rolesGiven } from '../accounts/all-roles.ts'
import type { Raise } from '../accounts/raise.ts'
import { permissionsOfUser, raisesOf } from './permissions.ts'
import { type User, users } from '../accounts/user.ts'

/** `raised`: who stands behind the account now. */
export type Person = { user: Stored<User>; permissions: Set<Permission>; raised: Raise[] }

const BUILT_IN: ReadonlySet<string> = new Set(Object.values(ROLES))
const customOf = (user: User) => rolesGiven(user).filter((role) => !BUILT_IN.has(role))

const lastSeen = memory<readonly string[]>()

/** For an account of any status; undefined when there is none. */
export async function personNow(table: Table, of: Pick<User, 'tenant_id' | 'id'>): Promise<Person | undefined> {
  const early = rolesNamed(table, of.tenant_id, lastSeen.get(of.id) ?? [])
  const [user, known] = await Promise.all([table.get(users, of), early])
  if (!user) return undefined
  lastSeen.set(user.id, customOf(user))
  const roles = await rolesOf(table, user, known)
  return { user, permissions: permissionsOfUser(user, roles), raised: raisesOf(user, roles, table.clock.now()) }
}

export const permissionsNow = async (table: Table, user: User): Promise<Set<Permission>> =>
  permissionsOfUser(user, await rolesOf(table, user))

/** Who stands behind an account now. */
export const raisesNow = async (table: Table, user: User): Promise<Raise[]> =>
  raisesOf(user, await rolesOf(table, user), table.clock.now())

/** The custom roles. `known`: those that were read together with the account. Built-in roles need no reading. */
async function rolesOf(table: Table, user: User, known: readonly CustomRole[] = []): Promise<CustomRole[]> {
  const missing = customOf(user).filter((role) => !known.some(({ name }) => name === role))
  return [...known, ...(await rolesNamed(table, user.tenant_id, missing))]
}

/** Single reads, which join the batch of all reads that start at the same moment (decision 0003). */
async function rolesNamed(table: Table, tenant_id: string, names: readonly string[]): Promise<CustomRole[]> {
  const found = await Promise.all(names.map((name) => table.get(customRoles, { tenant_id, name })))
  return found.filter((role) => role !== undefined)
}
