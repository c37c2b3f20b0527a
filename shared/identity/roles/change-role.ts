// Creates and changes custom roles. A change applies to everybody who has the role from their next request on.
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/outrank.ts'
import { CUSTOM_ROLES_MAX, type CustomRole, customRoles, freshCustomRoles } from '../access/permissions.ts'
import { findRole } from './role-view.ts'
import { mustActInPerson } from '../access/assurance.ts'
import { isBuiltIn, mustBeAllowedToGive } from '../access/roles.ts'
import { raisedBy } from '../access/raised.ts'
import type { Permission } from '../../base/catalog/permissions.ts'
import { ssoConfigurations } from '../sso/settings/configuration.ts'
import { rolesOfConfiguration } from '../sso/roles.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { rolesGiven, users, usersPartition } from '../accounts/user.ts'

export type RoleInput = { name: string; description: string; permissions: readonly Permission[] }

const FIELDS = ['description', 'permissions'] as const

/**
 * Creates a custom role, with a mail to the owners. Throws 409 for a name that is taken and beyond 50 roles, 403 for a permission
 * that the caller does not hold, and for anybody but a person with a recent factor. Of two concurrent requests for one name one
 * gets 409.
 */
export async function createRole(ctx: Context, input: RoleInput): Promise<CustomRole> {
  await mustActInPerson(ctx)
  const { name, description } = input
  const { tenant_id } = ctx.space
  const taken = conflict(`The role ${name} already exists. Choose another name.`, { code: 'already_exists' })
  if (isBuiltIn(name)) throw taken
  mustBeAllowedToGive(ctx.principal, input.permissions)
  const all = await freshCustomRoles(ctx.table, tenant_id)
  if (all.length >= CUSTOM_ROLES_MAX)
    throw conflict(`The tenant has ${CUSTOM_ROLES_MAX} custom roles and can have no more. Delete one first.`)
  const now = iso(ctx.now())
  const permissions = [...new Set(input.permissions)]
  const role: CustomRole = { tenant_id, name, description, permissions, created_at: now, updated_at: now }
  const writes = changed(
    ctx,
    [
      {
        action: 'role.created',
        artifact: 'identity.role.created',
        subject: { type: 'role', id: name, name },
        data: { permissions },
        changes: differences(undefined, role, FIELDS),
      },
    ],
    { mails: [mailToOwners(ctx, `the role ${name}`)] },
  )
  await ctx.table.commit([customRoles.insert(role, taken), ...writes], name)
  return role
}

type Replaced = { role: CustomRole; unchanged: boolean }

/**
 * Replaces description and permissions of a custom role, in force for its holders from their next request on. The caller must hold
 * all permissions of the role, before and after (403): nobody takes rights from people who outrank them. Throws 409 when the role
 * was changed or given to somebody meanwhile.
 */
export async function replaceRole(ctx: Context, input: RoleInput): Promise<Replaced> {
  await mustActInPerson(ctx)
  const was = await findRole(ctx, input.name)
  const permissions = [...new Set(input.permissions)]
  const { description } = input
  const role: CustomRole = {
    ...was,
    description,
    permissions,
    raised: await raisedOf(ctx, was, permissions),
    updated_at: iso(ctx.now()),
  }
  const changes = differences(was, role, FIELDS)
  if (changes.length === 0) return { role: was, unchanged: true }
  mustBeAllowedToGive(ctx.principal, was.permissions, 'You cannot change a role with permissions that you do not hold')
  mustBeAllowedToGive(ctx.principal, permissions)
  const writes = changed(
    ctx,
    [
      {
        action: 'role.updated',
        artifact: 'identity.role.updated',
        subject: { type: 'role', id: role.name, name: role.name },
        data: { permissions },
        changes,
      },
    ],
    { mails: [mailToOwners(ctx, `the role ${role.name}`)] },
  )
  const meanwhile = conflict('The role was changed or assigned by another request. Try again.')
  await ctx.table.commit([customRoles.replace(role, was, meanwhile), ...writes], role.name)
  return { role, unchanged: false }
}

/** The accounts of its holders are not written, so the role itself notes who let them decide on approvals. */
const raisedOf = async (
  ctx: Context,
  was: CustomRole,
  permissions: readonly Permission[],
): Promise<CustomRole['raised']> =>
  permissions.includes('approvals:decide') && !was.permissions.includes('approvals:decide')
    ? raisedBy(ctx, { raised: was.raised })
    : was.raised

const PAGE = 100

/**
 * Throws 409 while a person has the role, or a group or single sign-on gives it. Giving it at the same moment changes the
 * role's item, so that this commit fails: otherwise a person would keep the name of a deleted role, and hold a later role of
 * that name.
 */
export async function deleteRole(ctx: Context, name: string): Promise<void> {
  await mustActInPerson(ctx)
  const role = await findRole(ctx, name)
  mustBeAllowedToGive(ctx.principal, role.permissions, 'You cannot delete a role with permissions that you do not hold')
  if (await isInUse(ctx, name))
    throw conflict(`The role ${name} is still assigned. Remove it from people, groups and single sign-on first.`)
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': role._v } }
  const writes = changed(
    ctx,
    [
      {
        action: 'role.deleted',
        artifact: 'identity.role.deleted',
        subject: { type: 'role', id: name, name },
        changes: [{ path: 'permissions', before: role.permissions }],
      },
    ],
    { mails: [mailToOwners(ctx, `the role ${name}`)] },
  )
  const meanwhile = conflict(`The role ${name} was changed or assigned by another request. Try again.`)
  await ctx.table.commit([customRoles.remove(role, unchanged, meanwhile), ...writes], name)
}

async function isInUse({ table, space }: Context, role: string): Promise<boolean> {
  const { tenant_id } = space
  const [{ settings }, sso] = await Promise.all([
    freshTenant(table, tenant_id),
    table.get(ssoConfigurations, { tenant_id }),
  ])
  if (settings.group_roles.some((one) => one.role === role)) return true
  if (sso && rolesOfConfiguration(sso).includes(role)) return true
  const pk = usersPartition(tenant_id)
  for (let after: string | undefined; ;) {
    const page = await table.keys({ pk, index: 'gsi1', after, limit: PAGE })
    const found = await table.read(users, page)
    if (found.some((user) => rolesGiven(user).includes(role))) return true
    if (page.length < PAGE) return false
    after = page.at(-1)?.sort
  }
}
