// One run that copies lists of a provider. The item is its own checkpoint: every write of a page replaces it, so the place it
// continues from is never ahead of what is stored, and of two workers one stops.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { notFound } from '../../../base/lib/failure.ts'
import type { States } from '../../../base/lib/states.ts'
import { dueAt } from '../../../base/table/due.ts'
import { entity, spaceKey, type Stored } from '../../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../../base/table/members.ts'

export const SYNC_STATUSES = ['queued', 'running', 'completed', 'partial', 'failed'] as const
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
  /** Index of the model that it is at, and what its next page is asked for by; absent: the first page. */
  at_model: z.int(),
  next: z.string().optional(),
  /** The list is read to its end; what it did not hold is being removed. */
  sweeping: z.boolean().optional(),
  /** How often the provider asked to wait. */
  waits: z.int(),
  /** How often the sweeper found it without progress. */
  stalls: z.int(),
  queued_at: z.string(),
  started_at: z.string().optional(),
  ended_at: z.string().optional(),
  error_code: z.string().optional(),
  queued_by: z.object({ type: z.string(), id: z.string() }),
  /** When the sweeper looks at it. */
  due_at: z.string().optional(),
})
export type SyncJob = z.output<typeof SyncJob>

export const syncJobs = entity({
  name: 'SYNC',
  schema: SyncJob,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'SYNC', of.id), sk: 'SYNC' }),
  index: (job) => dueAt(job.due_at, job.id),
})

const OpenSync = z.object({ ...spaceMembers, connector_id: z.string(), job_id: z.string() })

/** The one run of a connector that has not ended. */
export const openSyncs = entity({
  name: 'SYNCING',
  schema: OpenSync,
  key: (of: Space & { connector_id: string }) => ({ pk: spaceKey(of, 'SYNCING'), sk: of.connector_id }),
})

const Synced = z.object({
  ...spaceMembers,
  connection_id: z.string(),
  model: z.string(),
  /** When the latest complete run of the model began: the next asks for what changed since. */
  since: z.string(),
})

export const syncedModels = entity({
  name: 'SYNCED',
  schema: Synced,
  key: (of: Space & { connection_id: string; model: string }) => ({
    pk: spaceKey(of, 'SYNCED', of.connection_id),
    sk: of.model,
  }),
})

/** Throws 404, for a job of another connector, too. */
export async function findSync({ table, space }: Context, connector_id: string, id: string): Promise<Stored<SyncJob>> {
  const found = await table.get(syncJobs, { ...space, id })
  if (found?.connector_id !== connector_id) throw notFound('sync job')
  return found
}
