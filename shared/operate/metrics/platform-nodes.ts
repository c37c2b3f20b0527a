// How many nodes the live spaces of the deployment have registered, together. Each space adds what has changed since it last did.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, type Key } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { unlessOvertaken } from '../../base/kernel/retry.ts'
import { nodesPartition } from '../../govern/manifests/node.ts'
import { Sums } from '../../base/kernel/count.ts'
import { metricsKey } from './periods.ts'

const PLATFORM_NODES: Key = { pk: 'PLATFORM#NODES', sk: 'NODES' }

/** What a space has added. */
const told = entity({
  name: 'NODESTOLD',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, nodes: z.int() }),
  key: (space: Space) => ({ pk: metricsKey(space), sk: 'NODES' }),
})

export async function addNodes(ctx: Context): Promise<void> {
  const [was, { total: nodes }] = await Promise.all([
    ctx.table.get(told, ctx.space),
    ctx.table.count({ pk: nodesPartition(ctx.space) }),
  ])
  const before = was?.nodes ?? 0
  if (nodes === before) return
  const sums = new Sums()
  const item = { ...PLATFORM_NODES, type: 'PLATFORMNODES' }
  sums.add(item, 'nodes', nodes - before)
  sums.add(item, 'spaces', Math.sign(nodes) - Math.sign(before))
  const next = { ...ctx.space, nodes }
  // Unless another worker has added them.
  await unlessOvertaken(ctx.table.commit([was ? told.replace(next, was) : told.insert(next), ...sums.writes()]))
}

const platformNodes = entity({
  name: 'PLATFORMNODES',
  unbound: 'bounded',
  schema: z.object({ nodes: z.int().default(0), spaces: z.int().default(0) }),
  key: (key: Key) => key,
})

/** So few spaces could be told apart by their sum. */
const SPACES_MIN = 5

/** Null while fewer than five spaces have any. */
export async function nodesRegistered(table: Table): Promise<number | null> {
  const found = await table.get(platformNodes, PLATFORM_NODES)
  return found && found.spaces >= SPACES_MIN ? found.nodes : null
}
