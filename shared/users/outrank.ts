import { assertMayGive } from '../access/may-give.ts'
import { freshCustomRoles } from '../access/custom-role.ts'
import { assertIsOwner } from '../access/roles.ts'
import type { Context } from '../context.ts'
import { permissionsOfUser } from './permissions.ts'
import type { User } from './user.ts'

/**
 * Whoever changes the address of an account can make it their own, and whoever ends one takes its rights away: so it must
 * not be able to do more than they can. Throws 403.
 */
export async function mustOutrank({ table, space, principal }: Context, user: User): Promise<void> {
  if (principal.user_id === user.id) return
  if (user.roles.includes('owner')) assertIsOwner(principal, 'Only an owner does this to an owner.')
  assertMayGive(principal, permissionsOfUser(user, await freshCustomRoles(table, space.tenant_id)))
}
