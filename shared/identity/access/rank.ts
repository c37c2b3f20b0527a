// One rule of rank, whichever way a request comes in: whoever ends, takes over or demotes an account may do all that its person
// may. To an owner only an owner does it, in person.
import { type Permission, PERMISSIONS } from '../../base/catalog/permissions.ts'

export type Rank = { isOwner: boolean; permissions: ReadonlySet<Permission> }

/** `isPerson`: not a key, a client or a directory, which never rank as owners. */
export type Actor = Rank & { isPerson: boolean }

/**
 * `take`: by it one could make the account one's own (address, factors). `end`: it only ends or gives back access, so what
 * only people can hold does not keep a key from it.
 */
export type Act = 'take' | 'end'

/** What the target has and the actor lacks: `owner`, permissions, or nothing. */
export function beyond(actor: Actor, target: Rank, act: Act): 'owner' | Permission[] {
  if (target.isOwner && !(actor.isPerson && actor.isOwner)) return 'owner'
  const counts = (one: Permission) => act === 'take' || actor.isPerson || PERMISSIONS[one].scope !== null
  const all = [...target.permissions].filter((one) => one !== 'self' && counts(one))
  return all.filter((one) => !actor.permissions.has(one)).toSorted()
}
