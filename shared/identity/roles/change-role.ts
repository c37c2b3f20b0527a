// Creates and changes custom roles. A change applies to everybody who has the role from their next request on.
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/outrank.ts'
import { type CustomRole, CUSTOM_ROLES_MAX, customRoles, freshCustomRoles } from '../access/permissions.ts'
import { findRole } from './find-role.ts'
import { mustActInPerson } from '../access/assurance.ts'
import { isBuiltIn, mustBeAllowedToGive } from '../access/roles.ts'
import { raisedBy } from '../access/raised.ts'
import type { Permission } from '../../base/catalog/permissions.ts'

export type RoleInput = { name: string; description: string; permissions: readonly Permission[] }

const FIELDS = ['description', 'permissions'] as const

/** Throws 409 for a name that is taken and beyond 50 roles, 403 for a permission that the caller does not hold. */
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

/** The caller must hold all permissions of the role, before and after: nobody takes rights from people who outrank them. */
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

/** Its holders get no write of their own, so that who lets them decide on approvals is kept on the role. */
const raisedOf = async (
  ctx: Context,
  was: CustomRole,
  permissions: readonly Permission[],
): Promise<CustomRole['raised']> =>
  permissions.includes('approvals:decide') && !was.permissions.includes('approvals:decide')
    ? raisedBy(ctx, { raised: was.raised })
    : was.raised
