// Roles by group: the tenant's setting `group_roles` maps groups to roles. Setting, groups and members count only as the service wrote
// them. Memberships are read consistently, so that nobody's roles depend on an index that lags.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { EventDraft } from '../../../ledger/events/event.ts'
import { ChangedMeanwhile } from '../../../base/kernel/retry.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { raisedIfDeciding } from '../../access/raised.ts'
import type { Raise } from '../../accounts/raise.ts'
import { userUpdated } from '../../accounts/find.ts'
import { type User, users } from '../../accounts/user.ts'
import { ID } from '../../../base/wire/fields.ts'
import { groupsOf, scimMembers } from './stored-group.ts'
import { idsByKey } from '../users/find-users.ts'
import { type GroupMapping as Mapping, guardedMapping, mappingOf } from './group-mapping.ts'
import { keyHash } from '../filter/keys.ts'

/** A group that gives roles. */
export type GivingGroup = { id: string; roles: readonly string[] }

/** A directory can never make somebody an owner, even if the setting names that role. */
const withoutOwner = (mapping: Mapping): Mapping => mapping.filter(({ role }) => role !== 'owner')

/**
 * The current setting, with the `guard` that a commit relying on it must include: the commit fails when the setting has changed
 * meanwhile. So a change of the setting never misses a member who joins at the same time, and other changes of the tenant delay
 * nobody. Empty in test mode, which has no roles.
 */
export async function roleMapping(ctx: Context): Promise<{ mapping: Mapping; guard: Write[] }> {
  if (ctx.space.mode === 'test') return { mapping: [], guard: [] }
  const { mapping, unchanged } = await guardedMapping(ctx)
  return { mapping: withoutOwner(mapping), guard: [unchanged] }
}

/** The roles of a group. The setting names a group by its name, in any case, or by its id. */
export function rolesGiven(mapping: Mapping, { id, displayName }: { id: string; displayName: string }): string[] {
  const name = keyHash('displayName', displayName)
  const matching = mapping.filter(({ group }) => group === id || keyHash('displayName', group) === name)
  return [...new Set(matching.map(({ role }) => role))].toSorted()
}

/** All groups that give a role. */
export async function givingGroups(ctx: Context, mapping: Mapping): Promise<GivingGroup[]> {
  const roles = new Map<string, string[]>()
  await Promise.all(
    withoutOwner(mapping).map(async ({ group, role }) => {
      const ids = await idsByKey(ctx, 'displayName', group)
      for (const id of ID.test(group) ? [...ids, group] : ids) roles.set(id, [...(roles.get(id) ?? []), role])
    }),
  )
  return [...roles].map(([id, given]) => ({ id, roles: given }))
}

/** The memberships of a group after the commit that is being prepared. */
export type Assumed = { group_id: string; isMember: (user_id: string) => boolean }

/** `event`: undefined when the roles stay the same. */
export type RoleChange = { write: Write; event?: EventDraft; user: Stored<User> }

/**
 * The writes that give these people the roles of their groups. Every account is written, even if its roles stay: when two
 * memberships of a person change at the same time, the second commit then fails and is computed again.
 */
export async function roleChanges(
  ctx: Context,
  ids: readonly string[],
  giving: readonly GivingGroup[],
  assumed?: Assumed,
): Promise<RoleChange[]> {
  const { tenant_id } = ctx.space
  const people = await ctx.table.getAll(
    users,
    ids.map((id) => ({ tenant_id, id })),
  )
  const existing = people.filter(({ status }) => status !== 'deleted')
  const memberOf = await memberships(ctx, existing, giving, assumed)
  return Promise.all(
    existing.map((user) => {
      const groups = giving.filter(({ id }) => memberOf(id, user.id))
      return roleChange(ctx, user, groups)
    }),
  )
}

const sameRoles = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((role) => b.includes(role))

async function roleChange(ctx: Context, user: Stored<User>, groups: readonly GivingGroup[]): Promise<RoleChange> {
  const group_roles = [...new Set(groups.flatMap(({ roles }) => roles))].toSorted()
  if (sameRoles(group_roles, user.group_roles))
    return { user, write: users.replace(user, user, new ChangedMeanwhile()) }
  const given: User = { ...user, group_roles, updated_at: iso(ctx.now()) }
  const next = { ...given, raised: await raisedIfDeciding(ctx, user, given, () => raisesOfGroups(ctx, groups)) }
  const event = userUpdated(next, user._v + 1, ['group_roles'], 'scim')
  return { user, write: users.replace(next, user, new ChangedMeanwhile()), event }
}

/** Who raised people by the name of a group or by the mapping: also where a directory adds the member later, or the sweeper does. */
async function raisesOfGroups(ctx: Context, groups: readonly GivingGroup[]): Promise<Raise[]> {
  const named = groupsOf(
    ctx,
    groups.map(({ id }) => id),
  )
  return [await mappingOf(ctx), ...(await named)].flatMap((item) => item?.raised ?? [])
}

async function memberships(
  { table, space }: Context,
  people: readonly User[],
  giving: readonly GivingGroup[],
  assumed: Assumed | undefined,
) {
  const others = giving.filter(({ id }) => id !== assumed?.group_id)
  const keys = others.flatMap(({ id: group_id }) => people.map(({ id: value }) => ({ ...space, group_id, value })))
  const rows = await table.getAll(scimMembers, keys)
  const known = new Set(rows.map(({ group_id, value }) => `${group_id}#${value}`))
  return (group_id: string, user_id: string): boolean =>
    group_id === assumed?.group_id ? assumed.isMember(user_id) : known.has(`${group_id}#${user_id}`)
}
