// Who votes, with the groups of the directory they belong to. Only people belong to any, and few policies ask for one.
import type { Context, Space } from '../../base/context.ts'
import { Overtaken } from '../../base/table/again.ts'
import type { Table } from '../../base/table/table.ts'
import type { Approval } from './approval.ts'
import type { Voter } from './rules.ts'

const PREFIX = 'group:'

const withGroups = ({ principal }: Context, groups: readonly string[]): Voter => ({
  ...principal,
  type: principal.kind,
  groups,
})

/** Of one approval: membership as it stands now, and only of groups that the open stage asks. */
export async function voterOn(ctx: Context, { stages, stage }: Approval): Promise<Voter> {
  const { space, table, principal } = ctx
  if (principal.kind !== 'user') return withGroups(ctx, [])
  const rows = await memberships(table, space, principal.id, stages[stage]?.groups ?? [])
  return withGroups(
    ctx,
    rows.map(({ group_id }) => group_id),
  )
}

/** The asked groups of the directory that a person belongs to, each with the check that they still do. */
export async function memberships(table: Table, space: Space, value: string, asked: readonly string[]) {
  const groups = new Set(asked.filter((group) => group.startsWith(PREFIX)))
  if (groups.size === 0) return []
  const { scimMembers } = await import('../../identity/scim/stored-group.ts')
  const rows = [...groups].map((group) => ({ ...space, group_id: group.slice(PREFIX.length), value }))
  const found = await table.getAll(scimMembers, rows)
  return found.map((row) => ({ group_id: row.group_id, stays: scimMembers.stays(row, row._v, new Overtaken()) }))
}

/** Of a list of approvals: membership as the index shows it, which may be a moment late. */
export async function voterOnAny(ctx: Context): Promise<Voter> {
  const { space, table, principal } = ctx
  if (principal.kind !== 'user') return withGroups(ctx, [])
  const { userGroupsPartition } = await import('../../identity/scim/stored-group.ts')
  const keys = await table.keys({ pk: userGroupsPartition(space, principal.id), index: 'gsi1' })
  return withGroups(
    ctx,
    keys.map(({ sort }) => sort),
  )
}
