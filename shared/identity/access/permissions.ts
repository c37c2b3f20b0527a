import { type Permission, permissionsOfRoles } from '../../base/catalog/permissions.ts'
import type { CustomRole } from './custom-role.ts'
import { allRoles } from '../accounts/all-roles.ts'
import type { User } from '../accounts/user.ts'

type Rights = Pick<User, 'roles' | 'group_roles' | 'sso_roles' | 'grants' | 'denies'>

/** Permissions from built-in and custom roles, roles from groups, and grants, minus the denials. Everybody has `self`. */
export function permissionsOfUser(user: Rights, customRoles: readonly CustomRole[]): Set<Permission> {
  const roles = new Set(allRoles(user))
  const custom = customRoles.filter(({ name }) => roles.has(name)).flatMap(({ permissions }) => permissions)
  const held = new Set<Permission>(['self', ...permissionsOfRoles([...roles]), ...custom, ...user.grants])
  return held.difference(new Set(user.denies))
}
