// The rule of rank where accounts are changed: by hand, by a key, or by a directory. Every verb that changes somebody else's
// account asks one of these.
import { freshCustomRoles } from '../access/custom-role.ts'
import { type Act, type Actor, beyond } from '../access/rank.ts'
import type { Context, Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { permissionsOfUser } from './permissions.ts'
import type { User } from './user.ts'

/** For whoever changes how an account is opened, and could make it their own by it. Throws 403. */
export const mustOutrank = (ctx: Context, user: User): Promise<void> => compare(ctx, user, 'take', BY_HAND)

/** For whoever ends or restores access, or takes rights away. Throws 403. */
export const mustOutrankToEnd = (ctx: Context, user: User): Promise<void> => compare(ctx, user, 'end', BY_HAND)

/**
 * For a directory. Addresses and passwords of its people are its own to keep, so for these it needs no more than for ending
 * their access; and what groups give is its own to give. Throws 403.
 */
export const directoryMustOutrank = (ctx: Context, user: User): Promise<void> =>
  compare(ctx, { ...user, group_roles: [] }, 'end', BY_DIRECTORY)

type Refusals = { owner: string; lacking: string }

const BY_HAND: Refusals = {
  owner: 'Only an owner does this to an owner.',
  lacking: 'This account may do what you may not',
}

const BY_DIRECTORY: Refusals = {
  owner: 'No directory does this to an owner. An owner who is signed in can, or can take the role first.',
  lacking: 'The maker of the key may do less than this account',
}

async function compare({ table, space, principal }: Context, user: User, act: Act, refusals: Refusals): Promise<void> {
  if (principal.user_id === user.id) return
  const permissions = permissionsOfUser(user, await freshCustomRoles(table, space.tenant_id))
  const lacking = beyond(actorOf(principal), { isOwner: user.roles.includes('owner'), permissions }, act)
  if (lacking === 'owner') throw forbidden(refusals.owner)
  if (lacking.length > 0) throw forbidden(`${refusals.lacking}: ${lacking.join(', ')}.`)
}

const actorOf = ({ credential, roles, permissions }: Principal): Actor => ({
  isPerson: credential === 'session' || credential === 'oauth_user',
  isOwner: roles.includes('owner'),
  permissions,
})
