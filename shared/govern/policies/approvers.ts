// Finds the approver groups that a policy names, because nobody could vote for a misspelt one. A directory group may be named by
// its id or its name; what is stored is its id.
import { ROLES } from '../../base/catalog/permissions.ts'
import type { Context } from '../../base/context.ts'
import { ID } from '../../base/wire/fields.ts'
import { keyRefs } from '../../identity/access/api-key.ts'
import { customRoles, freshCustomRoles } from '../../identity/access/permissions.ts'
import { users } from '../../identity/accounts/user.ts'
import { closest } from '../governance/conditions/hints.ts'
import type { ApprovalRule, PolicyBody } from '../governance/policy.ts'

const builtIn: readonly string[] = Object.values(ROLES)
/** So many directory groups are compared with a name that none of them has. */
const COMPARED_MAX = 200

type Found = { group: string } | { problem: string }

export type ApproverGroups = {
  /** The group as it is stored; one that cannot be used as it was written. */
  stored: (group: string) => string
  /** Why it cannot be used; undefined for one that can. */
  problem: (group: string) => string | undefined
}

/** Looks up every group that the policy names. Refuses nothing itself: `problem` says why a group cannot be used. */
export async function approverGroups(ctx: Context, { approval }: PolicyBody): Promise<ApproverGroups> {
  const named = [...(approval?.stages ?? []).flatMap(({ groups }) => groups), ...(approval?.escalate_to ?? [])]
  const found = new Map<string, Found>()
  await Promise.all(named.map(async (group) => found.set(group, await find(ctx, group))))
  return {
    stored: (group) => {
      const one = found.get(group)
      return one && 'group' in one ? one.group : group
    },
    problem: (group) => {
      const one = found.get(group)
      return one && 'problem' in one ? one.problem : undefined
    },
  }
}

/** The policy with ids of directory groups in the place of their names. */
export function withStoredGroups(body: PolicyBody, { stored }: ApproverGroups): PolicyBody {
  if (!body.approval) return body
  const { stages, escalate_to } = body.approval
  return {
    ...body,
    approval: {
      ...body.approval,
      stages: stages.map((stage) => ({ ...stage, groups: stage.groups.map(stored) })),
      escalate_to: escalate_to?.map(stored),
    },
  }
}

const UNKNOWN = 'is not an approver group of this tenant'
const unknown = (kind: string, guess: string | undefined): Found => ({
  problem: guess ? `${UNKNOWN}; did you mean ${kind}:${guess}?` : UNKNOWN,
})

async function find(ctx: Context, group: string): Promise<Found> {
  const { table, space } = ctx
  const { tenant_id } = space
  const [kind = ''] = group.split(':', 1)
  const name = group.slice(kind.length + 1)
  if (kind === 'group') return findDirectoryGroup(ctx, name)
  if (kind === 'role') {
    if (builtIn.includes(name) || (await table.get(customRoles, { tenant_id, name }))) return { group }
    const own = await freshCustomRoles(table, tenant_id)
    return unknown(kind, closest(name, [...builtIn, ...own.map((role) => role.name)]))
  }
  if (kind === 'key') return (await table.get(keyRefs, { tenant_id, id: name })) ? { group } : unknown(kind, undefined)
  if (kind !== 'user') return { group }
  const user = await table.get(users, { tenant_id, id: name })
  return user && user.status !== 'deleted' ? { group } : unknown(kind, undefined)
}

async function findDirectoryGroup(ctx: Context, name: string): Promise<Found> {
  const { groupsOf, idsOfGroups } = await import('../../identity/scim/groups/stored-group.ts')
  const { idsByKey } = await import('../../identity/scim/users/find-users.ts')
  if (ID.test(name) && (await groupsOf(ctx, [name])).length > 0) return { group: `group:${name}` }
  const [id, ...others] = await idsByKey(ctx, 'displayName', name)
  if (id === undefined) {
    const groups = await groupsOf(ctx, await idsOfGroups(ctx, COMPARED_MAX))
    return unknown(
      'group',
      closest(
        name,
        groups.map(({ displayName }) => displayName),
      ),
    )
  }
  if (others.length === 0) return { group: `group:${id}` }
  const ids = [id, ...others].map((one) => `group:${one}`)
  return { problem: `is the name of ${ids.length} directory groups; name one by its id: ${ids.join(', ')}` }
}

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
