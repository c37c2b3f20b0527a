import * as z from 'zod'
import { SyncJob, SYNC_STATUSES } from './job.ts'

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
