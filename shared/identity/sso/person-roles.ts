// The roles of a person at a sign-in through the identity provider, as part of the change of their account.
import { iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { givenRoles } from '../access/roles.ts'
import { changedMeanwhile } from '../accounts/user-updated.ts'
import type { User } from '../accounts/user.ts'
import { type SsoConfiguration, ssoConfigurations } from './configuration.ts'
import { rolesAfterSignIn } from './group-roles.ts'

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
