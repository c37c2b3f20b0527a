import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/outrank.ts'
import { ssoConfigurations } from '../sso/settings/configuration.ts'
import { rolesOfConfiguration } from '../sso/roles.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { rolesGiven, users, usersPartition } from '../accounts/user.ts'
import { customRoles } from '../access/permissions.ts'
import { findRole } from './find-role.ts'
import { mustActInPerson } from '../access/assurance.ts'
import { mustBeAllowedToGive } from '../access/roles.ts'

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
