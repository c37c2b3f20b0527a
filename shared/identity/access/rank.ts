// The rule of rank, the same for every kind of request (decision 0046): a caller who ends, takes over or demotes an account
// must hold all of its permissions. Owners are changed only by owners, in person.
import { type Permission, PERMISSIONS } from '../../base/catalog/permissions.ts'

export type Rank = { isOwner: boolean; permissions: ReadonlySet<Permission> }

/** `isPerson`: not a key, a client or a directory, which never rank as owners. */
export type Actor = Rank & { isPerson: boolean }

/**
 * `take`: the change could be used to take the account over (address, factors). `end`: it only ends or restores access, so a
 * key need not hold the permissions that only people can have.
 */
export type Act = 'take' | 'end'

/** What the target has and the actor lacks: `owner`, permissions, or nothing. */
export function missingRank(actor: Actor, target: Rank, act: Act): 'owner' | Permission[] {
  if (target.isOwner && !(actor.isPerson && actor.isOwner)) return 'owner'
  const counts = (one: Permission) => act === 'take' || actor.isPerson || PERMISSIONS[one].scope !== null
  const all = [...target.permissions].filter((one) => one !== 'self' && counts(one))
  return all.filter((one) => !actor.permissions.has(one)).toSorted()
}
