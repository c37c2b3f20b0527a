// The sums of all live spaces of the deployment, by day, and how many nodes they have registered. Each space adds its days once and
// the change of its number of nodes; nothing names a tenant.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, type Key } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { Sums } from '../../base/kernel/count.ts'
import { asOf, DAY, METRICS_FOLDER, metricsKey, periodName, unrolledIn } from './state.ts'
import { Counts, countsIn, readItems, type Span } from './read-window.ts'
import { nodesPartition } from '../../govern/manifests/node.ts'

const PLATFORM = 'PLATFORM#METRIC'

/** Days that a space makes up for, as its steps do. */
const LOOK_BACK_MS = 8 * DAY
/** A space adds a day on the next one; where it was not rolled up by then, on the one after. */
const COMPLETE_MS = 2 * DAY
/** Nodes, own series and filters of a tenant. */
const OF_TENANTS = /^(n|nb|c|x[0-9a-f]{8})\./

const additions = entity({
  name: 'PLATFORMED',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    /** Everything before it (ms) is in the sums. */
    until: z.int(),
  }),
  key: (space: Space) => ({ pk: metricsKey(space), sk: 'PLATFORM' }),
})

/** Adds the days of this space that are over and rolled up, each once. What is counted later is left out. */
export async function addToPlatform(ctx: Context): Promise<void> {
  const was = await ctx.table.get(additions, ctx.space)
  const { from, until } = await openDays(ctx, was?.until ?? 0)
  const days = until > from ? await readItems(ctx, { period: 'D', from, until }) : []
  if (days.length === 0) return
  const sums = new Sums()
  for (const { at, counts } of days) {
    const item = { pk: PLATFORM, sk: periodName('D', at), type: 'PLATFORMDAY' }
    sums.add(item, 'spaces', 1)
    for (const [series, by] of Object.entries(counts)) if (!OF_TENANTS.test(series)) sums.add(item, series, by)
  }
  const next = { ...ctx.space, until }
  // Unless another worker has added them.
  await unlessChangedMeanwhile(
    ctx.table.commit([was ? additions.replace(next, was) : additions.insert(next), ...sums.writes()]),
  )
}

/** In order: the first day that is not rolled up holds the later ones back. */
async function openDays(ctx: Context, done: number): Promise<Span> {
  const [counted, { state }] = await Promise.all([asOf(ctx), positionOf(ctx, METRICS_FOLDER)])
  const { hours, days } = unrolledIn(state)
  const today = Math.floor(ctx.now() / DAY) * DAY
  const from = Math.max(done, today - LOOK_BACK_MS)
  const open = [...hours, ...days].filter((at) => at >= from)
  return { from, until: Math.floor(Math.min(today, counted, ...open) / DAY) * DAY }
}

const platformDays = entity({
  name: 'PLATFORMDAY',
  unbound: 'bounded',
  schema: z.looseObject({ sk: z.string(), spaces: z.int() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** The sums of the complete days among the last `days`. `spaces`: how many of them had anything on their busiest day. */
export async function platformSums(table: Table, days: number): Promise<Span & { counts: Counts; spaces: number }> {
  const until = Math.floor((table.clock.now() - COMPLETE_MS) / DAY) * DAY
  const from = until - days * DAY
  const range = { from: periodName('D', from), to: periodName('D', until - 1) }
  const items = await table.query(platformDays, { pk: PLATFORM, ...range })
  const counts = new Counts()
  for (const { spaces: _, ...item } of items) counts.addAll(countsIn(item))
  return { from, until, counts, spaces: Math.max(0, ...items.map(({ spaces }) => spaces)) }
}

const PLATFORM_NODES: Key = { pk: 'PLATFORM#NODES', sk: 'NODES' }

/** The number of nodes that a space has added so far. */
const addedNodes = entity({
  name: 'NODESTOLD',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, nodes: z.int() }),
  key: (space: Space) => ({ pk: metricsKey(space), sk: 'NODES' }),
})

/** Adds the change of the space's nodes since it last did. */
export async function addNodes(ctx: Context): Promise<void> {
  const [was, { total: nodes }] = await Promise.all([
    ctx.table.get(addedNodes, ctx.space),
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
  const write = was ? addedNodes.replace(next, was) : addedNodes.insert(next)
  await unlessChangedMeanwhile(ctx.table.commit([write, ...sums.writes()]))
}

const platformNodes = entity({
  name: 'PLATFORMNODES',
  unbound: 'bounded',
  schema: z.object({ nodes: z.int().default(0), spaces: z.int().default(0) }),
  key: (key: Key) => key,
})

/** With fewer spaces, one could be recognised in the sum. */
const SPACES_MIN = 5

/** The nodes of all live spaces together. Null while fewer than five spaces have any. */
export async function nodesRegistered(table: Table): Promise<number | null> {
  const found = await table.get(platformNodes, PLATFORM_NODES)
  return found && found.spaces >= SPACES_MIN ? found.nodes : null
}
