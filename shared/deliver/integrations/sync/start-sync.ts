// Begins a run that copies lists of a provider.
import * as z from 'zod'
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { conflict, invalid } from '../../../base/lib/failure.ts'
import { warn } from '../../../base/lib/log.ts'
import { optional } from '../../../base/wire/fields.ts'
import { connections } from '../connection.ts'
import { findConnector } from '../known-connector.ts'
import { enqueueSync } from './enqueue.ts'
import { newJob, openSyncs, type SyncJob, syncJobs } from './job.ts'

/** How long the first message may take to reach a worker. */
const FIRST_TRY_MS = 300_000

export const SyncInput = z.strictObject({
  models: optional(
    z
      .array(z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the name of a model'))
      .min(1)
      .max(20),
  ).describe('What was synchronised.'),
  mode: z
    .enum(['incremental', 'full'])
    .default('incremental')
    .describe('`incremental` copies what changed since the last run; `full` copies everything.'),
})
export type SyncInput = z.output<typeof SyncInput>

/**
 * Stores the run and sends the message that begins it; the sweeper sends a lost one again. Throws 409 while a run is open and
 * without an active connection, 422 for a model that the connector does not have. One run of a connector is open at a time: the
 * transaction inserts `openSyncs`, so of two callers one gets the 409.
 */
export async function startSync(
  ctx: Context,
  connectorId: string,
  { models: wanted, mode }: SyncInput,
): Promise<SyncJob> {
  const connector = await findConnector(ctx, connectorId)
  const known = (connector.provider?.models ?? []).map(({ name }) => name)
  if (known.length === 0) throw conflict(`${connector.name} has nothing that can be synchronised.`)
  const models = [...new Set(wanted ?? known)]
  for (const [index, model] of models.entries())
    if (!known.includes(model)) throw invalid(['models', index], `must be one of ${known.join(', ')}`)
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id: connectorId })
  if (connection?.status !== 'active') throw conflict('This connector is not connected.')
  const of = { connector_id: connectorId, connection_id: connection.id, sync_mode: mode, models }
  const job: SyncJob = { ...newJob(ctx, of), due_at: iso(ctx.now() + FIRST_TRY_MS) }
  const traces = changed(ctx, [
    {
      action: 'sync.queued',
      artifact: 'integration.sync.queued',
      subject: { type: 'sync_job', id: job.id, name: connector.name },
      data: { connector_id: connectorId, connection_id: connection.id, models, mode },
    },
  ])
  const busy = conflict('A sync of this connector is running already. Wait until it has ended.')
  const open = { ...ctx.space, connector_id: connectorId, job_id: job.id }
  await ctx.table.commit([syncJobs.insert(job), openSyncs.insert(open, busy), ...traces], job.id)
  const { tenant_id, mode: space_mode, id } = job
  await enqueueSync({ tenant_id, mode: space_mode, id }).catch((error: unknown) =>
    warn('sync_not_enqueued', error, { job: id }),
  )
  return job
}
