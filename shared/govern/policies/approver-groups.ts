// Checks that the approver groups of a policy exist, because nobody could vote for a misspelt one.
import { keyRefs } from '../../identity/access/api-key.ts'
import { customRoles } from '../../identity/access/custom-role.ts'
import { ROLES } from '../../base/catalog/permissions.ts'
import type { Context } from '../../base/context.ts'
import type { PolicyBody } from '../governance/policy.ts'
import { users } from '../../identity/accounts/user.ts'

const builtIn: readonly string[] = Object.values(ROLES)

/** Returns a function that tells whether a group of the policy exists in the tenant. `any` always does. */
export async function approverGroups(ctx: Context, { approval }: PolicyBody): Promise<(group: string) => boolean> {
  const named = [...(approval?.stages ?? []).flatMap(({ groups }) => groups), ...(approval?.escalate_to ?? [])]
  const found = await Promise.all(named.map(async (group) => ((await exists(ctx, group)) ? [group] : [])))
  const known = new Set(found.flat())
  return (group) => known.has(group)
}

async function exists({ table, space }: Context, group: string): Promise<boolean> {
  const { tenant_id } = space
  const [kind, id = ''] = group.split(':', 2)
  if (kind === 'group') {
    const { scimGroups } = await import('../../identity/scim/stored-group.ts') // few policies name one
    return (await table.get(scimGroups, { ...space, id })) !== undefined
  }
  if (kind === 'role')
    return builtIn.includes(id) || (await table.get(customRoles, { tenant_id, name: id })) !== undefined
  if (kind === 'key') return (await table.get(keyRefs, { tenant_id, id })) !== undefined
  if (kind !== 'user') return kind === 'any'
  const user = await table.get(users, { tenant_id, id })
  return user !== undefined && user.status !== 'deleted'
}
