// Rank checks for changes to accounts, by a person, a key or a directory (decision 0046). Every verb that changes somebody
// else's account calls one of them.
import { freshCustomRoles, permissionsGiven } from './permissions.ts'
import type { Context, Principal } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { type Permission, PERMISSIONS, PRIVILEGED } from '../../base/catalog/permissions.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { mustActInPerson, mustBeSignedIn, mustHaveFreshSignIn } from './assurance.ts'
import type { User } from '../accounts/user.ts'
import { iso } from '../../base/lib/clock.ts'

/**
 * For changes of how an account is opened, by which the caller could take it over: its address, its factors, its tie to a
 * provider, its return. Throws 403 unless the caller makes them in person, and outranks the account. What is done to the own
 * account needs a fresh sign-in instead.
 */
export async function mustOutrank(ctx: Context, user: User): Promise<void> {
  if (ctx.principal.user_id === user.id) {
    mustBeSignedIn(ctx)
    return mustHaveFreshSignIn(ctx)
  }
  await mustActInPerson(ctx)
  await compare(ctx, user, 'take', BY_HAND)
}

/** Owners hear of such a change where the account could decide or administer. `change` is our own text. */
export async function mailsAbout(ctx: Context, user: User, change: string): Promise<Mail[]> {
  if (ctx.principal.user_id === user.id) return []
  const given = permissionsGiven(user, await freshCustomRoles(ctx.table, ctx.space.tenant_id))
  return given.isDisjointFrom(PRIVILEGED) ? [] : [mailToOwners(ctx, change)]
}

/** For changes that end access or remove rights. Throws 403. */
export const mustOutrankToEnd = (ctx: Context, user: User): Promise<void> => compare(ctx, user, 'end', BY_HAND)

/**
 * For changes by a directory. It manages addresses and passwords of its people, so changing these needs no more than ending
 * access. Roles from groups do not count, because the directory assigns them. Throws 403.
 */
export const directoryMustOutrank = (ctx: Context, user: User): Promise<void> =>
  compare(byMaker(ctx), { ...user, group_roles: [] }, 'end', BY_DIRECTORY)

/** The scopes of its key say that it is a directory, not whom it reaches. */
const byMaker = (ctx: Context): Context => {
  const { permissions, grant = permissions } = ctx.principal
  return { ...ctx, principal: { ...ctx.principal, permissions: grant } }
}

type Refusals = { owner: string; lacking: string }

const BY_HAND: Refusals = {
  owner: 'Only an owner can do this to an owner. Ask one of them.',
  lacking: 'You cannot do this to an account with permissions that you do not hold',
}

const BY_DIRECTORY: Refusals = {
  owner: 'A directory cannot do this to an owner. Ask an owner to do it in person, or to remove the role first.',
  lacking: 'The directory cannot do this to an account with permissions that the maker of its key does not hold',
}

async function compare({ table, space, principal }: Context, user: User, act: Act, refusals: Refusals): Promise<void> {
  if (principal.user_id === user.id) return
  const permissions = permissionsGiven(user, await freshCustomRoles(table, space.tenant_id))
  const lacking = missingRank(actorOf(principal), { isOwner: user.roles.includes('owner'), permissions }, act)
  if (lacking === 'owner') throw forbidden(refusals.owner)
  if (lacking.length > 0) throw forbidden(`${refusals.lacking}: ${lacking.join(', ')}. Ask somebody who holds them.`)
}

const actorOf = ({ credential, roles, permissions }: Principal): Actor => ({
  isPerson: credential === 'session' || credential === 'oauth_user',
  isOwner: roles.includes('owner'),
  permissions,
})

export type Rank = { isOwner: boolean; permissions: ReadonlySet<Permission> }

/** `isPerson`: not a key, a client or a directory, which never rank as owners. */
export type Actor = Rank & { isPerson: boolean }

/**
 * `take`: the change could be used to take the account over (address, factors). `end`: it only ends or restores access, so a
 * key need not hold the permissions that only people can have.
 */
type Act = 'take' | 'end'

/**
 * The rule of rank, the same for every kind of request (decision 0046): a caller who ends, takes over or demotes an account must
 * hold all of its permissions, and only owners, in person, change owners. Returns what the target has and the actor lacks:
 * `owner`, permissions, or nothing.
 */
export function missingRank(actor: Actor, target: Rank, act: Act): 'owner' | Permission[] {
  if (target.isOwner && !(actor.isPerson && actor.isOwner)) return 'owner'
  const counts = (one: Permission) => act === 'take' || actor.isPerson || PERMISSIONS[one].scope !== null
  const all = [...target.permissions].filter((one) => one !== 'self' && counts(one))
  return all.filter((one) => !actor.permissions.has(one)).toSorted()
}

/**
 * A mail to the owners about a change by which somebody could act as others. `change` is our own text, never the caller's.
 */
export const mailToOwners = (ctx: Context, change: string): Mail =>
  newMail(
    ctx,
    'access_changed',
    { roles: ['owner'] },
    { change, by: ctx.principal.email ?? ctx.principal.id, at: iso(ctx.now()), ip: ctx.request.ip },
  )
