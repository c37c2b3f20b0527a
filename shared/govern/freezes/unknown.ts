// A freeze of something that does not exist stops nothing, and whoever set it would believe that it does.
import type { Context } from '../../base/context.ts'
import { keyRefs } from '../../identity/access/api-key.ts'
import { users } from '../../identity/accounts/user.ts'
import { findClient } from '../../identity/oauth/clients/client.ts'
import type { FreezeScope } from '../governance/freeze.ts'
import { builtInNode } from '../manifests/load.ts'
import { nodeHeads } from '../manifests/node.ts'

type Unknown = { member: 'node_ids' | 'principals'; index: number; message: string }

export async function unknownIn(ctx: Context, scope: FreezeScope): Promise<Unknown | undefined> {
  const node = await firstMissing(scope.node_ids, (id) => isNode(ctx, id))
  if (node !== undefined) return { member: 'node_ids', index: node, message: 'is no registered node' }
  const caller = await firstMissing(scope.principals, (id) => isCaller(ctx, id))
  if (caller === undefined) return undefined
  return { member: 'principals', index: caller, message: 'is no person, API key or OAuth client of your tenant' }
}

async function firstMissing(ids: readonly string[] = [], exists: (id: string) => Promise<boolean>) {
  const found = await Promise.all(ids.map(exists))
  const index = found.indexOf(false)
  return index < 0 ? undefined : index
}

const isNode = async ({ table, space }: Context, node_id: string) =>
  builtInNode(node_id) !== undefined || (await table.get(nodeHeads, { ...space, node_id })) !== undefined

async function isCaller({ table, space }: Context, id: string): Promise<boolean> {
  const of = { tenant_id: space.tenant_id, id }
  const [key, person, client] = await Promise.all([table.get(keyRefs, of), table.get(users, of), findClient(table, id)])
  return key !== undefined || person !== undefined || client?.tenant_id === space.tenant_id
}
