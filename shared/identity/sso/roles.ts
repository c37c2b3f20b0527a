// The roles that the groups of an identity provider give (decision 0136): the rules, and the part of an account's change that they make.
import { type SsoConfiguration, ssoConfigurations } from './settings/configuration.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { givenRoles } from '../access/roles.ts'
import { changedMeanwhile } from '../accounts/find.ts'
import type { User } from '../accounts/user.ts'

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

const RIGHTS = ['roles', 'sso_roles'] as const
type Right = (typeof RIGHTS)[number]

type Updating = { sso: Stored<SsoConfiguration>; was: User; next: Stored<User> }
type Updated = { next: Stored<User>; fields: Right[]; writes: Write[] }

/** `next` with the roles of these groups; unchanged, and without writes, when they are the same as before. */
export function withRoles(ctx: Context, { sso, was, next }: Updating, groups: readonly string[]): Updated {
  const after = rolesAfterSignIn(sso, groups, was.roles)
  const fields = RIGHTS.filter((field) => new Set(was[field]).symmetricDifference(new Set(after[field])).size > 0)
  if (fields.length === 0) return { next, fields, writes: [] }
  const { roles, sso_roles } = after
  const added = sso_roles.filter((role) => !was.sso_roles.includes(role))
  return {
    next: { ...next, roles: [...roles], sso_roles: [...sso_roles], updated_at: iso(ctx.now()) },
    fields,
    writes: [...givenRoles(sso.tenant_id, added), ...stillConfigured(sso)],
  }
}

/** Fails when the configuration has changed meanwhile, so that nobody gets a role of a mapping that has just ended. */
export function stillConfigured({ tenant_id, _v, group_attribute }: Stored<SsoConfiguration>): Write[] {
  if (group_attribute === undefined) return []
  const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': _v } }
  return [ssoConfigurations.check({ tenant_id }, isSame, changedMeanwhile())]
}

const isRight = (field: string): field is Right => RIGHTS.some((one) => one === field)

/** The rights among the changed fields, for the evidence. */
export const rightsIn = (user: User, fields: readonly string[]): Partial<Pick<User, Right>> =>
  Object.fromEntries(fields.filter(isRight).map((field) => [field, user[field]]))

/** A changed field for the audit log. Roles are shown; everything else is personal and masked. */
export const valuesOf = (path: string, was: User, next: User) =>
  isRight(path) ? { path, before: was[path], after: next[path] } : { path, before: '***', after: '***' }
