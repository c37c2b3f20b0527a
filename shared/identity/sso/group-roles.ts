// The roles that the groups of an identity provider give (decision 0136). Pure.
import type { SsoConfiguration } from './configuration.ts'

export type RoleRules = Pick<
  SsoConfiguration,
  'default_roles' | 'group_attribute' | 'role_mappings' | 'roles_authoritative'
>

/** All roles that the configuration can give. */
export const rolesOfConfiguration = ({ default_roles, role_mappings }: RoleRules): string[] => [
  ...new Set([...default_roles, ...role_mappings.flatMap(({ role_ids }) => role_ids)]),
]

/** The configuration can never make somebody an owner, even if somebody writes that role into its item. */
const withoutOwner = (roles: readonly string[]): string[] =>
  [...new Set(roles)].filter((role) => role !== 'owner').toSorted()

/** Groups are compared exactly, since identity providers name them by id or by a name of their own. */
const mappedRoles = ({ role_mappings }: RoleRules, groups: readonly string[]): string[] =>
  withoutOwner(role_mappings.filter(({ group }) => groups.includes(group)).flatMap(({ role_ids }) => role_ids))

export type RolesOfPerson = { roles: readonly string[]; sso_roles: readonly string[] }

/**
 * The roles of a person after a sign-in. `roles`: those given by hand. A provider that names no groups gives none, so that a
 * forgotten attribute takes roles away and never leaves them.
 */
export function rolesAfterSignIn(rules: RoleRules, groups: readonly string[], roles: readonly string[]): RolesOfPerson {
  if (rules.group_attribute === undefined) return { roles, sso_roles: [] }
  const mapped = mappedRoles(rules, groups)
  if (!rules.roles_authoritative) return { roles, sso_roles: mapped }
  const given = mapped.length > 0 ? mapped : withoutOwner(rules.default_roles)
  return { roles: roles.filter((role) => role === 'owner'), sso_roles: given }
}

/** The roles of a person who gets an account. */
export const rolesOfNewPerson = (rules: RoleRules, groups: readonly string[]): RolesOfPerson =>
  rolesAfterSignIn(rules, groups, withoutOwner(rules.default_roles))

/** The roles of an account that the configuration, as it is now, may still have given. */
export function rolesStillGiven(
  sso: (RoleRules & Pick<SsoConfiguration, 'enabled'>) | undefined,
  sso_roles: readonly string[],
): string[] {
  if (!sso?.enabled || sso.group_attribute === undefined) return []
  const mapped = sso.role_mappings.flatMap(({ role_ids }) => role_ids)
  const given = new Set(withoutOwner(sso.roles_authoritative ? [...mapped, ...sso.default_roles] : mapped))
  return sso_roles.filter((role) => given.has(role))
}
