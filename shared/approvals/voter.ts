// Who votes, with the groups of the directory they belong to. Only people belong to any, and few policies ask for one.
import type { Context } from '../context.ts'
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
  const asked = (stages[stage]?.groups ?? []).filter((group) => group.startsWith(PREFIX))
  if (asked.length === 0 || principal.kind !== 'user') return withGroups(ctx, [])
  const { scimMembers } = await import('../scim/stored-group.ts')
  const rows = [...new Set(asked)].map((group) => group.slice(PREFIX.length))
  const found = await table.getAll(
    scimMembers,
    rows.map((group_id) => ({ ...space, group_id, value: principal.id })),
  )
  return withGroups(
    ctx,
    found.map(({ group_id }) => group_id),
  )
}

/** Of a list of approvals: membership as the index shows it, which may be a moment late. */
export async function voterOnAny(ctx: Context): Promise<Voter> {
  const { space, table, principal } = ctx
  if (principal.kind !== 'user') return withGroups(ctx, [])
  const { userGroupsPartition } = await import('../scim/stored-group.ts')
  const keys = await table.keys({ pk: userGroupsPartition(space, principal.id), index: 'gsi1' })
  return withGroups(
    ctx,
    keys.map(({ sort }) => sort),
  )
}
