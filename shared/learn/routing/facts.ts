import { DAY_MS } from '../../base/lib/clock.ts'
import type { FactAsk, OptionalFacts } from '../../base/ports/facts.ts'
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { key } from '../../base/table/entity.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { auditEntries, resourcePartition } from '../../ledger/audit/entry.ts'
import { readable } from '../../ledger/evidence/artifact/artifact.ts'
import { learningPartition, type RoutingUpdate, routingUpdates } from './update.ts'

/** Longer than an update waits for its approval and, approved, to be applied. */
export const WAITS_MS = 40 * DAY_MS
const MOST = 20_000
const AT_ONCE = 10

/** Each update that was applied, and whether the audit log tells what it changed. */
export async function routing({ ctx, since }: FactAsk): Promise<OptionalFacts['routing']> {
  const from = key('RTU', firstId('rtu', Math.max(0, since - WAITS_MS)))
  const range = { pk: learningPartition(ctx.space), from, to: 'RTU#~' }
  const all = await wholeRange(ctx.table, routingUpdates, range, MOST)
  const applied = all.filter(({ applied_at }) => applied_at !== undefined && Date.parse(applied_at) >= since)
  return inParallel(AT_ONCE, applied, async (update) => ({ id: update.id, traced: await isTraced(ctx, update) }))
}

async function isTraced({ table, space }: Context, { id, type, from, to }: RoutingUpdate): Promise<boolean> {
  const pk = resourcePartition(space, { type: 'routing_update', id })
  const entries = await table.query(readable(auditEntries), { pk, index: 'gsi2' })
  return entries.some((entry) =>
    entry?.changes.some(({ path, before, after }) => path === type && before === from && after === to),
  )
}
