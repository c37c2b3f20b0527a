// The roles of a tenant, the built-in ones and its custom ones, and who may give them.
import type { Context, Principal } from '../../base/context.ts'
import { conflict, forbidden, invalid } from '../../base/lib/failure.ts'
import type { Write } from '../../base/table/entity.ts'
import { customRoles, freshCustomRoles } from './permissions.ts'
import { type Permission, PERMISSIONS, permissionsOfRoles, PRIVILEGED, ROLES } from '../../base/catalog/permissions.ts'
import { mustActInPerson } from './assurance.ts'
import * as z from 'zod'

const BUILT_IN: readonly string[] = Object.values(ROLES)

export const isBuiltIn = (role: string): boolean => BUILT_IN.includes(role)

/** The permissions of each role of the tenant, read now. */
export async function permissionsByRole({ table, space }: Context): Promise<Map<string, ReadonlySet<Permission>>> {
  const custom = await freshCustomRoles(table, space.tenant_id)
  return new Map([
    ...BUILT_IN.map((role) => [role, permissionsOfRoles([role])] as const),
    ...custom.map(({ name, permissions }) => [name, new Set(permissions)] as const),
  ])
}

/** `has`: the permissions that the people have already. `and`: permissions that they get besides the roles. */
type Gift = { has?: ReadonlySet<Permission>; and?: readonly Permission[] }

/**
 * Throws 403 when the caller holds less than the roles do, or gives what is privileged not in person; 422 for a role that the
 * tenant does not have. Says whether it is privileged: then owners get a mail.
 */
export async function mustBeAllowedToGiveRoles(
  ctx: Context,
  roles: readonly string[],
  { has, and = [] }: Gift = {},
): Promise<boolean> {
  const known = await permissionsByRole(ctx)
  const unknown = roles.findIndex((role) => !known.has(role))
  if (unknown >= 0)
    throw invalid(['roles', unknown], 'The tenant has no role of this name. Choose one from the list of roles.')
  if (roles.includes('owner')) mustBeOwner(ctx.principal)
  const given = [...roles.flatMap((role) => [...(known.get(role) ?? [])]), ...and]
  // The names of administrators count by themselves, also where their holder has the same permissions by other roles.
  return mustBeAllowedToGivePeople(ctx, given, administers({ roles }) ? new Set() : has)
}

export function mustBeOwner(
  { roles }: Pick<Principal, 'roles'>,
  refusal = 'Only an owner can give or remove the role owner. Ask one of them.',
): void {
  if (!roles.includes('owner')) throw forbidden(refusal)
}

/** Whether the caller is an owner or an administrator. A key has no roles. */
export const administers = ({ roles }: Pick<Principal, 'roles'>): boolean =>
  roles.includes('owner') || roles.includes('admin')

/**
 * The writes to add to a commit that gives these roles. Of this commit and a concurrent deletion of a custom role, only one
 * succeeds.
 */
export const givenRoles = (tenant_id: string, roles: readonly string[]): Write[] =>
  [...new Set(roles)]
    .filter((role) => !isBuiltIn(role))
    .map((name) =>
      customRoles.update(
        { tenant_id, name },
        { condition: { expression: 'attribute_exists(pk)' } },
        conflict(`The role ${name} was just deleted. Choose another one.`),
      ),
    )

/**
 * Nobody gives a permission that they do not hold, whether by role, grant, custom role or key: throws 403 for permissions that
 * the caller lacks. Everybody has `self`, so it does not count.
 */
export function mustBeAllowedToGive(
  { permissions }: Pick<Principal, 'permissions'>,
  given: Iterable<Permission>,
  refusal = 'You cannot give permissions that you do not hold',
): void {
  const lacking = [...new Set(given)].filter((one) => one !== 'self' && !permissions.has(one))
  if (lacking.length > 0) throw forbidden(`${refusal}: ${lacking.toSorted().join(', ')}. Ask somebody who holds them.`)
}

/**
 * The same for permissions of people. Also throws 403 unless the caller gives in person what is privileged and what the
 * people do not have yet: otherwise a stolen key could make an approver of its own (decision 0173). Says whether it is.
 */
async function mustBeAllowedToGivePeople(
  ctx: Context,
  given: Iterable<Permission>,
  has: ReadonlySet<Permission> = new Set(),
): Promise<boolean> {
  const all = new Set(given)
  const isPrivileged = !all.difference(has).isDisjointFrom(PRIVILEGED)
  if (isPrivileged) await mustActInPerson(ctx)
  mustBeAllowedToGive(ctx.principal, all)
  return isPrivileged
}

const names = Object.keys(PERMISSIONS) as [Permission, ...Permission[]]

/** What can be granted, denied or put into a role: everything but `self`, which every person has. */
export const PermissionName = z
  .enum(names)
  .refine((name) => name !== 'self', 'Everybody has the permission self, so you cannot give it. Leave it out.')
  .meta({ enum: names.filter((name) => name !== 'self') })
