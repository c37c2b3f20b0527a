import { type Permission, permissionsOfRoles } from '../../base/catalog/permissions.ts'
import type { CustomRole } from '../access/custom-role.ts'
import type { User } from './user.ts'

type Rights = Pick<User, 'roles' | 'group_roles' | 'grants' | 'denies'>

/** Built-in and custom roles, roles by group, and grants; what is denied is denied whatever else says. `self` is everybody's. */
export function permissionsOfUser(user: Rights, customRoles: readonly CustomRole[]): Set<Permission> {
  const roles = new Set([...user.roles, ...user.group_roles])
  const custom = customRoles.filter(({ name }) => roles.has(name)).flatMap(({ permissions }) => permissions)
  const held = new Set<Permission>(['self', ...permissionsOfRoles([...roles]), ...custom, ...user.grants])
  return held.difference(new Set(user.denies))
}
