import type { Context } from '../../base/context.ts'
import type { ApprovalRule } from '../governance/policy.ts'

type Shown = { approval?: ApprovalRule | undefined }

const PREFIX = 'group:'

const groupsIn = ({ approval }: Shown): string[] =>
  [...(approval?.stages ?? []).flatMap(({ groups }) => groups), ...(approval?.escalate_to ?? [])].filter((group) =>
    group.startsWith(PREFIX),
  )

/** Policies with the present names of the directory groups that they name by id. */
export async function withGroupNames<P extends Shown>(
  ctx: Context,
  policies: readonly P[],
): Promise<(P & { group_names?: Record<string, string> })[]> {
  const named = policies.flatMap(groupsIn).map((group) => group.slice(PREFIX.length))
  if (named.length === 0) return [...policies]
  const { groupsOf } = await import('../../identity/scim/groups/stored-group.ts')
  const found = await groupsOf(ctx, named)
  const names = new Map(found.map(({ id, displayName }) => [`${PREFIX}${id}`, displayName]))
  return policies.map((policy) => {
    const own = groupsIn(policy).flatMap((group) => {
      const name = names.get(group)
      return name === undefined ? [] : [[group, name]]
    })
    return own.length > 0 ? { ...policy, group_names: Object.fromEntries(own) } : policy
  })
}
