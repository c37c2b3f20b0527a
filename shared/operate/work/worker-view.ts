// A worker with what follows from elsewhere: whether an agent still asks for work, and what the worker has done.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { donePartition } from '../../govern/tasks/task.ts'
import { Worker } from '../../govern/tasks/worker.ts'
import { apiKeys, keyRefs } from '../../identity/access/api-key.ts'

/** An agent that has not used its key for so long does not work. */
const SILENT_MS = 15 * 60_000
const STATS_MS = 30 * 86_400_000
/** Figures are those of the newest so many. */
const DONE_MAX = 1_000

export const WorkerView = Worker.omit({ mode: true }).extend({
  status: z.enum(['active', 'paused', 'offline']),
  /** Of agents: when the key was used last, to the minute. */
  last_seen_at: z.string().nullable(),
  /** Null where nothing was done. */
  stats: z.object({
    completed_30d: z.int(),
    median_seconds: z.number().nullable(),
    sla_hit_rate: z.number().nullable(),
  }),
  version: z.int(),
})

export async function workerView(ctx: Context, worker: Stored<Worker>): Promise<z.input<typeof WorkerView>> {
  const [last_seen_at, stats] = await Promise.all([lastSeen(ctx, worker), statsOf(ctx, worker)])
  const isSilent = worker.type === 'ai' && (last_seen_at ?? '') <= iso(ctx.now() - SILENT_MS)
  const status = worker.status === 'active' && isSilent ? 'offline' : worker.status
  return { ...worker, status, last_seen_at, stats, version: worker._v }
}

async function lastSeen({ table, space }: Context, { agent }: Worker): Promise<string | null> {
  const ref = agent && (await table.get(keyRefs, { tenant_id: space.tenant_id, id: agent.api_key_id }))
  const found = ref && (await table.get(apiKeys, ref))
  return found?.last_used_at ?? null
}

/** From the index alone: its sort keys say when, how long and how well. */
async function statsOf(ctx: Context, { id }: Worker) {
  const from = iso(ctx.now() - STATS_MS)
  const pk = donePartition(ctx.space, id)
  const done = await ctx.table.keys({ pk, index: 'gsi3', from, descending: true, limit: DONE_MAX })
  const rows = done.map(({ sort }) => sort.split('#'))
  const seconds = rows.map(([, taken]) => Number(taken)).toSorted((a, b) => a - b)
  const hits = rows.filter(([, , sla]) => sla === 'hit').length
  return {
    completed_30d: rows.length,
    median_seconds: rows.length === 0 ? null : median(seconds),
    sla_hit_rate: rows.length === 0 ? null : hits / rows.length,
  }
}

function median(sorted: readonly number[]): number {
  const middle = sorted.length / 2
  const [low = 0, high = low] = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1)
  return (low + high) / 2
}
