// The voter with their directory groups. Only people belong to groups, and few policies name one.
import type { Context, Space } from '../../base/context.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Table } from '../../base/table/table.ts'
import { raisersOf } from '../../identity/access/raised.ts'
import type { Approval } from './approval.ts'
import type { Voter } from './rules.ts'

const PREFIX = 'group:'

async function withGroups(ctx: Context, reading: Promise<readonly string[]> | []): Promise<Voter> {
  const { kind: type, id, persons, roles } = ctx.principal
  const [groups, raised_by] = await Promise.all([reading, raisersOf(ctx)])
  return { type, id, persons, roles, groups, raised_by }
}

/** For one approval: a consistent read of the groups that the open stage names. */
export async function voterOn(ctx: Context, { stages, stage }: Approval): Promise<Voter> {
  const { space, table, principal } = ctx
  if (principal.kind !== 'user') return withGroups(ctx, [])
  const rows = memberships(table, space, principal.id, stages[stage]?.groups ?? [])
  return withGroups(
    ctx,
    rows.then((all) => all.map(({ group_id }) => group_id)),
  )
}

/** The named directory groups that a person belongs to, each with a check that lets a commit fail when they leave it. */
export async function memberships(table: Table, space: Space, value: string, named: readonly string[]) {
  const groups = new Set(named.filter((group) => group.startsWith(PREFIX)))
  if (groups.size === 0) return []
  const { scimMembers } = await import('../../identity/scim/stored-group.ts')
  const rows = [...groups].map((group) => ({ ...space, group_id: group.slice(PREFIX.length), value }))
  const found = await table.getAll(scimMembers, rows)
  return found.map((row) => ({ group_id: row.group_id, stays: scimMembers.stays(row, row._v, new Overtaken()) }))
}

/** For a list of approvals: all groups, from an index that may be a moment late. */
export async function voterOnAny(ctx: Context): Promise<Voter> {
  const { principal } = ctx
  return withGroups(ctx, principal.kind === 'user' ? groupIdsOf(ctx, principal.id) : [])
}

export async function groupIdsOf({ table, space }: Context, person: string): Promise<string[]> {
  const { userGroupsPartition } = await import('../../identity/scim/stored-group.ts')
  const keys = await table.keys({ pk: userGroupsPartition(space, person), index: 'gsi1' })
  return keys.map(({ sort }) => sort)
}
