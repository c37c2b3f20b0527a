// How many people could approve for the groups that a policy names, so that its author is warned of a quorum that nobody
// can reach. Keys count where they are named; otherwise they stand for people who are counted already.
import type { Permission } from '../../base/catalog/permissions.ts'
import type { Context } from '../../base/context.ts'
import type { ApprovalRule } from '../governance/policy.ts'
import { scimMembers } from '../../identity/scim/stored-group.ts'
import { allRoles } from '../../identity/users/all-roles.ts'
import { permissionsNow } from '../../identity/users/permissions-now.ts'
import { users, usersPartition } from '../../identity/users/user.ts'

type Approver = { id: string; roles: readonly string[] }

/** Where there are more people than this, nobody runs short of approvers. */
const COUNTED_MAX = 200
const DECIDES: Permission = 'approvals:decide'

/** Undefined where there are too many people to count. */
export async function eligibleApprovers(
  ctx: Context,
  { stages }: ApprovalRule,
): Promise<((groups: readonly string[]) => number) | undefined> {
  const people = await approversOf(ctx)
  if (!people) return undefined
  const named = new Set(stages.flatMap(({ groups }) => groups))
  const inGroup = new Map<string, ReadonlySet<string>>()
  for (const group of named) inGroup.set(group, await membersOf(ctx, group, people))
  return (groups) => new Set(groups.flatMap((group) => [...(inGroup.get(group) ?? [])])).size
}

/** Everybody who may decide; undefined where there are too many people to look at. */
async function approversOf({ table, space: { tenant_id } }: Context): Promise<Approver[] | undefined> {
  const found = await table.query(users, { pk: usersPartition(tenant_id), index: 'gsi1', limit: COUNTED_MAX + 1 })
  if (found.length > COUNTED_MAX) return undefined
  const active = found.filter(({ status }) => status === 'active')
  const checked = await Promise.all(
    active.map(async (user) => ((await permissionsNow(table, user)).has(DECIDES) ? [user] : [])),
  )
  return checked.flat().map((user) => ({ id: user.id, roles: allRoles(user) }))
}

async function membersOf({ table, space }: Context, group: string, people: readonly Approver[]) {
  const [kind, name = ''] = group.split(':', 2)
  if (kind === 'key') return new Set([group])
  if (kind !== 'group') return new Set(people.filter((one) => belongs(one, kind, name)).map(({ id }) => id))
  // Asked for by name, since a group of the directory may hold far more than the people counted here.
  const members = await table.getAll(
    scimMembers,
    people.map(({ id }) => ({ ...space, group_id: name, value: id })),
  )
  return new Set(members.map(({ value }) => value))
}

const belongs = ({ id, roles }: Approver, kind: string | undefined, name: string): boolean =>
  kind === 'any' || (kind === 'role' ? roles.includes(name) : id === name)
