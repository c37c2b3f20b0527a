import { customRolesOf } from '../access/custom-role.ts'
import { type Permission, ROLES } from '../access/permissions.ts'
import type { Table } from '../table/table.ts'
import { allRoles } from './all-roles.ts'
import { permissionsOfUser } from './permissions.ts'
import type { User } from './user.ts'

const BUILT_IN: ReadonlySet<string> = new Set(Object.values(ROLES))

/** What a person may do now; custom roles as of at most 30 seconds ago. Most people have none, and need no reading. */
export async function permissionsNow(table: Table, user: User): Promise<Set<Permission>> {
  const custom = allRoles(user).every((role) => BUILT_IN.has(role)) ? [] : await customRolesOf(table, user.tenant_id)
  return permissionsOfUser(user, custom)
}
