// Sets the rights of a person: roles, grants and denials. They apply from the next request on.
import { freshCustomRoles, permissionsGiven, personBehind } from '../access/permissions.ts'
import { mailToOwners, mustOutrankToEnd } from '../access/outrank.ts'
import type { Permission } from '../../base/catalog/permissions.ts'
import { givenRoles, mustBeAllowedToGiveRoles } from '../access/roles.ts'
import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import { mustHaveSteppedUp } from '../access/assurance.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { changedMeanwhile, findUser, userUpdated } from '../accounts/find.ts'
import { raisedIfDeciding } from '../access/raised.ts'
import { type User, users, usersPartition } from '../accounts/user.ts'

export type Rights = {
  roles: readonly string[]
  /** Unchanged when absent: a denial must not end because a client does not send it. */
  grants?: readonly Permission[] | undefined
  denies?: readonly Permission[] | undefined
  version?: number | undefined
}

const FIELDS = ['roles', 'grants', 'denies'] as const

/** `unchanged`: the person already had these rights. */
type Outcome = { user: Stored<User>; unchanged: boolean }

/**
 * Sets the rights of a person; an absent list of grants or denials stays as it is. Throws 403 unless the caller outranks the
 * person and holds what they give, in person where that is privileged; 409 for the last active owner, for a version that is no
 * longer current, and for a role that is being deleted. A person who may decide on approvals only since this change has been
 * raised by the caller.
 */
export async function setRoles(ctx: Context, id: string, rights: Rights): Promise<Outcome> {
  const was = await findUser(ctx, id)
  mustBeCurrent(rights.version, was._v)
  const next: User = {
    ...was,
    roles: [...new Set(rights.roles)],
    grants: [...new Set(rights.grants ?? was.grants)],
    denies: [...new Set(rights.denies ?? was.denies)],
    // A caller who sets the roles of an invited person becomes responsible for them.
    invitation: was.invitation && { ...was.invitation, by: personBehind(ctx.principal) },
    updated_at: iso(ctx.now()),
  }
  const fields = FIELDS.filter((field) => differs(was[field], next[field]))
  if (fields.length === 0) return { user: was, unchanged: true }
  const added = next.roles.filter((role) => !was.roles.includes(role))
  const isPrivileged = await mustBeAllowedToChange(ctx, was, next, added)
  await mustHaveSteppedUp(ctx)
  const raised = { ...next, raised: await raisedIfDeciding(ctx, was, next) }
  const guards = next.roles.includes('owner') ? [] : await mustLeaveOwner(ctx, was)
  const writes = changed(
    ctx,
    [
      {
        action: 'user.roles_changed',
        artifact: 'identity.user.updated',
        subject: { type: 'user', id, name: was.name },
        data: { changed_fields: fields, roles: next.roles, grants: next.grants, denies: next.denies },
        changes: fields.map((path) => ({ path, before: was[path], after: next[path] })),
        events: [userUpdated(next, was._v + 1, fields, 'api')],
      },
    ],
    { mails: isPrivileged ? [mailToOwners(ctx, 'who may decide or administer, by the rights of a person')] : [] },
  )
  await ctx.table.commit(
    [users.replace(raised, was, changedMeanwhile()), ...guards, ...givenRoles(was.tenant_id, added), ...writes],
    id,
  )
  return { user: { ...raised, _v: was._v + 1 }, unchanged: false }
}

const differs = (a: readonly string[], b: readonly string[]) => new Set(a).symmetricDifference(new Set(b)).size > 0

/**
 * The caller must outrank the person and hold every permission that is granted or no longer denied; what of it is privileged is
 * given in person. Taking rights away stays quick. Says whether anything privileged is given.
 */
async function mustBeAllowedToChange(ctx: Context, was: User, next: User, added: readonly string[]): Promise<boolean> {
  await mustOutrankToEnd(ctx, was)
  const granted = next.grants.filter((one) => !was.grants.includes(one))
  const released = was.denies.filter((one) => !next.denies.includes(one))
  const has = permissionsGiven(was, await freshCustomRoles(ctx.table, was.tenant_id))
  const isPrivileged = await mustBeAllowedToGiveRoles(ctx, added, { has, and: [...granted, ...released] })
  if (next.roles.includes('owner') && next.denies.length > 0) {
    throw invalid(['denies'], 'You cannot deny an owner anything. Remove the role owner instead.')
  }
  return isPrivileged
}

const PAGE = 100

type Whose = Pick<User, 'tenant_id' | 'id'>

const isActiveOwner = ({ status, roles }: User) => status === 'active' && roles.includes('owner')

export const lastOwner = () =>
  conflict('You cannot remove the last active owner of the tenant. Make somebody else an owner first.')

/**
 * The checks to add to a commit that ends, suspends or demotes this account. Throws 409 when no other active owner would be left.
 * The commit checks that the other owner stays one: of two concurrent requests that remove the last two owners, only one commits.
 */
export async function mustLeaveOwner(ctx: Context, leaving: User): Promise<Write[]> {
  if (!isActiveOwner(leaving)) return []
  const other = actingOwner(ctx, leaving) ?? (await anotherOwner(ctx, leaving))
  if (!other) throw lastOwner()
  const isOwner = {
    expression: '#status = :active AND contains(#roles, :owner)',
    names: { '#status': 'status', '#roles': 'roles' },
    values: { ':active': 'active', ':owner': 'owner' },
  }
  return [users.check(other, isOwner, lastOwner())]
}

/** The caller, if they are another owner: that is the usual case and needs no search. */
function actingOwner({ principal, space }: Context, leaving: User): Whose | undefined {
  const { user_id, roles } = principal
  const other = user_id !== undefined && user_id !== leaving.id && roles.includes('owner')
  return other ? { tenant_id: space.tenant_id, id: user_id } : undefined
}

/** Searches the oldest accounts first, because the founder is usually an owner. */
async function anotherOwner({ table }: Context, leaving: User): Promise<Whose | undefined> {
  const pk = usersPartition(leaving.tenant_id)
  for (let after: string | undefined; ;) {
    const page = await table.keys({ pk, index: 'gsi1', after, limit: PAGE })
    const found = await table.read(users, page)
    const owner = found.find((user) => user.id !== leaving.id && isActiveOwner(user))
    if (owner || page.length < PAGE) return owner
    after = page.at(-1)?.sort
  }
}
