// Who may do to an account what takes it away from its person. None of these may be able to do more than the caller.
import { assertMayGive } from '../access/may-give.ts'
import { freshCustomRoles } from '../access/custom-role.ts'
import { type Permission, PERMISSIONS } from '../access/permissions.ts'
import { assertIsOwner } from '../access/roles.ts'
import type { Context } from '../context.ts'
import { permissionsOfUser } from './permissions.ts'
import type { User } from './user.ts'

/** For whoever changes the address of an account, which they can make their own by it. Throws 403. */
export const mustOutrank = (ctx: Context, user: User): Promise<void> => compare(ctx, user, () => true)

/**
 * For whoever suspends or deletes an account, by which they gain nothing: so what only people can hold does not keep a key
 * from it. Throws 403.
 */
export const mustOutrankToEnd = (ctx: Context, user: User): Promise<void> =>
  compare(ctx, user, (one) => ctx.principal.kind === 'user' || PERMISSIONS[one].scope !== null)

async function compare(
  { table, space, principal }: Context,
  user: User,
  counts: (one: Permission) => boolean,
): Promise<void> {
  if (principal.user_id === user.id) return
  if (user.roles.includes('owner')) assertIsOwner(principal, 'Only an owner does this to an owner.')
  const theirs = permissionsOfUser(user, await freshCustomRoles(table, space.tenant_id))
  assertMayGive(principal, [...theirs].filter(counts), 'This account may do what you may not')
}
