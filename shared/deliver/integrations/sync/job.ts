// One run that copies lists of a provider. The item is its own checkpoint: every write of a page replaces it, so the run never
// continues from a place beyond the stored records, and of two workers one stops.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { notFound } from '../../../base/lib/failure.ts'
import type { States } from '../../../base/lib/states.ts'
import { dueAt } from '../../../base/table/due.ts'
import { entity, spaceKey, type Stored } from '../../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../../base/table/members.ts'
import { lease } from '../../../base/kernel/lease.ts'

const SYNC_STATUSES = ['queued', 'running', 'completed', 'partial', 'failed'] as const
export type SyncStatus = (typeof SYNC_STATUSES)[number]

/** `partial`: what was copied so far stays, and the next run continues from the one before. */
export const SYNC_STATES: States<SyncStatus> = {
  queued: ['running', 'partial', 'failed'],
  running: ['completed', 'partial', 'failed'],
  completed: [],
  partial: [],
  failed: [],
}

export const SyncJob = z.object({
  ...resourceMembers,
  connector_id: z.string(),
  connection_id: z.string(),
  sync_mode: z.enum(['incremental', 'full']),
  models: z.array(z.string()),
  status: z.enum(SYNC_STATUSES),
  added: z.int(),
  updated: z.int(),
  deleted: z.int(),
  unchanged: z.int(),
  pages: z.int(),
  /** Index of the current model, and the cursor of its next page; absent: the first page. */
  at_model: z.int(),
  next: z.string().optional(),
  /** The list is read to its end; records that it did not contain are being removed. */
  sweeping: z.boolean().optional(),
  /** The list that the run is at, where Nango copies it. With `model`, Nango has reported that its copy is complete. */
  nango: z
    .object({
      sync: z.string(),
      model: z.string().optional(),
      /** Behind the last record that was read. */
      cursor: z.string().optional(),
      error_code: z.string().optional(),
    })
    .optional(),
  /** How often the provider asked to wait. */
  waits: z.int(),
  /** How often the sweeper found it without progress. */
  stalls: z.int(),
  queued_at: z.string(),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
  error_code: z.string().optional(),
  queued_by: z.object({
    type: z.string().describe('Whether a person, a key or a client started it.'),
    id: z.string().describe('The id, which never changes.'),
  }),
  /** When the sweeper looks at it. */
  due_at: z.string().optional(),
})
export type SyncJob = z.output<typeof SyncJob>

type Of = Pick<SyncJob, 'connector_id' | 'connection_id' | 'sync_mode' | 'models'>

export const newJob = (ctx: Context, of: Of): SyncJob => ({
  ...ctx.space,
  ...of,
  id: ctx.id('syn'),
  status: 'queued',
  added: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  pages: 0,
  at_model: 0,
  waits: 0,
  stalls: 0,
  queued_at: iso(ctx.now()),
  queued_by: { type: ctx.principal.kind, id: ctx.principal.id },
})

export const syncJobs = entity({
  name: 'SYNC',
  unbound: 'bounded',
  schema: SyncJob,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'SYNC', of.id), sk: 'SYNC' }),
  index: (job) => dueAt(job.due_at, job.id),
})

const OpenSync = z.object({ ...spaceMembers, connector_id: z.string(), job_id: z.string() })

/** The one run of a connector that has not ended. */
export const openSyncs = entity({
  name: 'SYNCING',
  unbound: 'bounded',
  schema: OpenSync,
  key: (of: Space & { connector_id: string }) => ({ pk: spaceKey(of, 'SYNCING'), sk: of.connector_id }),
})

const Synced = z.object({
  ...spaceMembers,
  connection_id: z.string(),
  model: z.string(),
  /** When the latest complete run of the model began: the next asks for what changed since. */
  since: z.string().optional(),
  /** Of a list that Nango copies: the cursor behind the last record that was read. */
  cursor: z.string().optional(),
})

type OfConnection = Space & { connection_id: string }

export const syncedPartition = (of: OfConnection): string => spaceKey(of, 'SYNCED', of.connection_id)

export const syncedModels = entity({
  name: 'SYNCED',
  unbound: 'bounded',
  schema: Synced,
  key: (of: OfConnection & { model: string }) => ({ pk: syncedPartition(of), sk: of.model }),
})

/** The lists that a connection has copied under names of its own: lists of Nango, and the messages that were kept. */
export const listsOf = async ({ table, space }: Context, connection_id: string): Promise<string[]> =>
  (await table.query(syncedModels, { pk: syncedPartition({ ...space, connection_id }) })).map(({ model }) => model)

/** Throws 404, for a job of another connector, too. */
export async function findSync({ table, space }: Context, connector_id: string, id: string): Promise<Stored<SyncJob>> {
  const found = await table.get(syncJobs, { ...space, id })
  if (found?.connector_id !== connector_id) throw notFound('sync job')
  return found
}

/** After so long without progress the sweeper hands a run to a worker again. */
const STALLED_MS = 900_000

export const turns = /* @__PURE__ */ lease(syncJobs, STALLED_MS, {
  of: ({ due_at }) => due_at,
  until: (end) => ({ due_at: iso(end) }),
})

/** So often a run waits for one page because a provider asks for it, or because Nango is still copying. */
export const WAITS_MAX = 20

/** A run that has just made progress. */
export const touched = <T extends SyncJob>(ctx: Context, job: T): T => ({
  ...job,
  stalls: 0,
  ...turns.until(ctx.now()),
})

/** Throws `ConditionFailed` when another worker has moved it. */
export const moved = (ctx: Context, was: Stored<SyncJob>, change: Partial<SyncJob>): Promise<Stored<SyncJob>> =>
  turns.renew(ctx, was, { ...change, stalls: 0 })

const { connector_id, connection_id, models, queued_at, queued_by } = SyncJob.shape

export const SyncView = z.object({
  job_id: z.string().describe('Id of the job that does the work.'),
  connector_id: connector_id.describe('Id of the connector.'),
  connection_id: connection_id.describe('Id of the connection.'),
  mode: z.enum(['incremental', 'full']).describe('Whether it belongs to live or test data.'),
  models: models.describe('What was synchronised.'),
  status: z.enum(SYNC_STATUSES).describe('The current state.'),
  progress: z
    .object({
      added: z.int().describe('Records that were new.'),
      updated: z.int().describe('Records that had changed.'),
      deleted: z.int().describe('Records that are gone at the provider; counted in full runs.'),
      unchanged: z.int().describe('Records that were the same.'),
      pages: z.int().describe('Pages that were read.'),
      duration_ms: z.int().nullable().describe('How long it took, in ms.'),
    })
    .describe('How far the work is, from 0 to 1.'),
  error_code: z.string().nullable().describe('The cause of the error, for programs.'),
  queued_at: queued_at.describe('When it was requested.'),
  queued_by: queued_by.describe('Who started it.'),
  started_at: z.string().nullable().describe('When it started.'),
  ended_at: z.string().nullable().describe('When it ended; null while it runs.'),
})

export function syncView(job: SyncJob, now: number): z.input<typeof SyncView> {
  const { id, sync_mode, added, updated, deleted, unchanged, pages, started_at, ended_at, error_code, ...rest } = job
  const end = ended_at === undefined ? now : Date.parse(ended_at)
  return {
    ...rest,
    job_id: id,
    mode: sync_mode,
    progress: {
      added,
      updated,
      deleted,
      unchanged,
      pages,
      duration_ms: started_at === undefined ? null : end - Date.parse(started_at),
    },
    error_code: error_code ?? null,
    started_at: started_at ?? null,
    ended_at: ended_at ?? null,
  }
}
