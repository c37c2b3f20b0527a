// Roles by group: the tenant's setting `group_roles` says which group gives which role. Memberships are read consistently, so
// that what somebody ends up with never depends on an index that is late.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { Overtaken } from '../../base/table/again.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { type TenantSettings, tenants } from '../../base/tenant/tenant.ts'
import { userUpdated } from '../users/update-user.ts'
import { type User, users } from '../users/user.ts'
import { ID } from '../../base/wire/fields.ts'
import { idsByKey } from './find-users.ts'
import { keyHash } from './keys.ts'
import { scimMembers } from './stored-group.ts'

type Mapping = TenantSettings['group_roles']

/** A group that gives roles. */
export type GivingGroup = { id: string; roles: readonly string[] }

/** Nobody becomes owner through a directory, whatever the setting says. */
const allowed = (mapping: Mapping): Mapping => mapping.filter(({ role }) => role !== 'owner')

/**
 * The setting as it is now, and what a commit that relies on it must hold, so that a change of the setting never overlooks
 * a member who joins in the same moment. Empty in test mode, where nobody has roles.
 */
export async function roleMapping({ table, space }: Context): Promise<{ mapping: Mapping; guard: Write[] }> {
  if (space.mode === 'test') return { mapping: [], guard: [] }
  const { id, settings, _v } = await freshTenant(table, space.tenant_id)
  const isSame = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': _v } }
  return { mapping: allowed(settings.group_roles), guard: [tenants.check({ id }, isSame, new Overtaken())] }
}

/** What a group gives. The setting names it by its name, in any case, or by its id. */
export function rolesGiven(mapping: Mapping, { id, displayName }: { id: string; displayName: string }): string[] {
  const name = keyHash('displayName', displayName)
  const meant = mapping.filter(({ group }) => group === id || keyHash('displayName', group) === name)
  return [...new Set(meant.map(({ role }) => role))].toSorted()
}

/** Every group that gives something. */
export async function givingGroups(ctx: Context, mapping: Mapping): Promise<GivingGroup[]> {
  const roles = new Map<string, string[]>()
  await Promise.all(
    allowed(mapping).map(async ({ group, role }) => {
      const ids = await idsByKey(ctx, 'displayName', group)
      for (const id of ID.test(group) ? [...ids, group] : ids) roles.set(id, [...(roles.get(id) ?? []), role])
    }),
  )
  return [...roles].map(([id, given]) => ({ id, roles: given }))
}

/** Memberships as they will be, where a commit is about to change them. */
export type Assumed = { group_id: string; isMember: (user_id: string) => boolean }

/** `event`: undefined for somebody whose roles stay. */
export type RoleChange = { write: Write; event?: EventDraft; user: Stored<User> }

/**
 * What brings the roles of these people in line with the groups. There is a write for everybody, since of two memberships
 * that change at once the later commit must see the other: whoever's account was written meanwhile begins again.
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
  const living = people.filter(({ status }) => status !== 'deleted')
  const memberOf = await memberships(ctx, living, giving, assumed)
  return living.map((user) => {
    const given = giving.filter(({ id }) => memberOf(id, user.id)).flatMap(({ roles }) => roles)
    const group_roles = [...new Set(given)].toSorted()
    return roleChange(ctx, user, group_roles)
  })
}

const sameRoles = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((role) => b.includes(role))

function roleChange(ctx: Context, user: Stored<User>, group_roles: string[]): RoleChange {
  if (sameRoles(group_roles, user.group_roles)) return { user, write: users.replace(user, user, new Overtaken()) }
  const next = { ...user, group_roles, updated_at: iso(ctx.now()) }
  const event = userUpdated(next, user._v + 1, ['group_roles'], 'scim')
  return { user, write: users.replace(next, user, new Overtaken()), event }
}

async function memberships(
  { table, space }: Context,
  people: readonly User[],
  giving: readonly GivingGroup[],
  assumed: Assumed | undefined,
) {
  const asked = giving.filter(({ id }) => id !== assumed?.group_id)
  const keys = asked.flatMap(({ id: group_id }) => people.map(({ id: value }) => ({ ...space, group_id, value })))
  const rows = await table.getAll(scimMembers, keys)
  const known = new Set(rows.map(({ group_id, value }) => `${group_id}#${value}`))
  return (group_id: string, user_id: string): boolean =>
    group_id === assumed?.group_id ? assumed.isMember(user_id) : known.has(`${group_id}#${user_id}`)
}
