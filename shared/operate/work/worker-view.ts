// A worker as the API shows it, with figures that are computed: whether an agent still asks for work, and what the worker has done.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { donePartition } from '../../govern/tasks/task.ts'
import { Worker } from '../../govern/tasks/worker.ts'
import { requesterOf } from '../../govern/learned/learned-for.ts'
import { TrustView, trustView } from '../../govern/learned/trust-view.ts'
import { type ApiKey, apiKeys, keyRefs } from '../../identity/access/api-key.ts'
import { actorsOf, conducts } from '../../ledger/conduct/conduct.ts'

/** An agent that has not used its key for so long does not work. */
const SILENT_MS = 15 * 60_000
const STATS_MS = 30 * 86_400_000
/** Figures are those of the newest so many. */
const DONE_MAX = 1_000

export const WorkerView = Worker.omit({ mode: true }).extend({
  status: z.enum(['active', 'paused', 'offline']).describe('The current state.'),
  last_seen_at: z.string().nullable().describe('When the key was last used, to the minute. Only for agents.'),
  /** Null where nothing was done. */
  stats: z
    .object({
      completed_30d: z.int().describe('The number of tasks completed in the last 30 days.'),
      median_seconds: z.number().nullable().describe('The median time of those tasks, in seconds.'),
      sla_hit_rate: z.number().nullable().describe('The share of those tasks without a missed clock.'),
      /** The trust of an agent. Null for people, who are not measured. */
      trust: TrustView.nullable().describe(
        'How decisions see the agent behind the key; null for people, who are not measured.',
      ),
    })
    .describe("The figures of the worker's tasks."),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export async function workerView(ctx: Context, worker: Stored<Worker>): Promise<z.input<typeof WorkerView>> {
  const key = await keyOf(ctx, worker)
  const [done, trust] = await Promise.all([doneBy(ctx, worker), trustOf(ctx, key)])
  const last_seen_at = key?.last_used_at ?? null
  const stats = { ...done, trust }
  const isSilent = worker.type === 'ai' && (last_seen_at ?? '') <= iso(ctx.now() - SILENT_MS)
  const status = worker.status === 'active' && isSilent ? 'offline' : worker.status
  return { ...worker, status, last_seen_at, stats, version: worker._v }
}

async function keyOf({ table, space }: Context, { agent }: Worker): Promise<ApiKey | undefined> {
  const ref = agent && (await table.get(keyRefs, { tenant_id: space.tenant_id, id: agent.api_key_id }))
  return ref && table.get(apiKeys, ref)
}

/** The trust that decisions use: of the agent that is bound to the key, else of the key. */
async function trustOf(ctx: Context, key: ApiKey | undefined): Promise<TrustView | null> {
  if (!key) return null
  const [actor = ''] = actorsOf(requesterOf({ kind: 'api_key', id: key.id, agent_id: key.agent_id }, undefined))
  return trustView(await ctx.table.get(conducts, { ...ctx.space, actor }), ctx.now())
}

/** From the index alone: its sort keys say when, how long and how well. */
async function doneBy(ctx: Context, { id }: Worker) {
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
