// Counts the people who could vote for the groups of a policy, so that its author is warned of a quorum that nobody can reach.
// A key counts only where it is named, because the person behind it is counted already.
import type { Permission } from '../../base/catalog/permissions.ts'
import type { Context } from '../../base/context.ts'
import type { ApprovalRule } from '../governance/policy.ts'
import { scimMembers } from '../../identity/scim/groups/stored-group.ts'
import { allRoles, users, usersPartition } from '../../identity/accounts/user.ts'
import { permissionsNow } from '../../identity/access/permissions.ts'

type Approver = { id: string; roles: readonly string[] }

/** A tenant with more people is not counted, since it hardly lacks approvers. */
const COUNTED_MAX = 200
const DECIDES: Permission = 'approvals:decide'

/** Undefined when there are too many people to count. */
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

/** Everybody who may decide on approvals; undefined when there are too many people to read. */
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
  // Memberships are read by key, because a directory group may have far more people than are counted here.
  const members = await table.getAll(
    scimMembers,
    people.map(({ id }) => ({ ...space, group_id: name, value: id })),
  )
  return new Set(members.map(({ value }) => value))
}

const belongs = ({ id, roles }: Approver, kind: string | undefined, name: string): boolean =>
  kind === 'any' || (kind === 'role' ? roles.includes(name) : id === name)
