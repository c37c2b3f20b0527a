// Which of the approver groups that a policy names there are: nobody could ever decide for a misspelt one.
import { apiKeys, keysPartition } from '../access/api-key.ts'
import { ROLES } from '../access/permissions.ts'
import type { Context } from '../context.ts'
import type { PolicyBody } from '../governance/policy.ts'
import { users } from '../users/user.ts'

const roles: readonly string[] = Object.values(ROLES)

/** Says of each group that the policy names whether it exists in the tenant. `any` always does. */
export async function approverGroups(ctx: Context, { approval }: PolicyBody): Promise<(group: string) => boolean> {
  const named = [...(approval?.stages ?? []).flatMap(({ groups }) => groups), ...(approval?.escalate_to ?? [])]
  const keys = named.some((group) => group.startsWith('key:')) ? await keyIds(ctx) : []
  const found = await Promise.all(named.map(async (group) => ((await exists(ctx, group, keys)) ? [group] : [])))
  const known = new Set(found.flat())
  return (group) => known.has(group)
}

async function exists(ctx: Context, group: string, keys: readonly string[]): Promise<boolean> {
  const [kind, id = ''] = group.split(':', 2)
  if (kind === 'role') return roles.includes(id)
  if (kind === 'key') return keys.includes(id)
  if (kind !== 'user') return kind === 'any'
  const user = await ctx.table.get(users, { tenant_id: ctx.space.tenant_id, id })
  return user !== undefined && user.status !== 'deleted'
}

/** Keys are looked up by what they are stored under, so those of the tenant are all read. */
async function keyIds({ table, space }: Context): Promise<string[]> {
  return (await table.query(apiKeys, { pk: keysPartition(space.tenant_id), index: 'gsi1' })).map(({ id }) => id)
}
