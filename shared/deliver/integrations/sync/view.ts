import * as z from 'zod'
import { SyncJob, SYNC_STATUSES } from './job.ts'

const { connector_id, connection_id, models, queued_at, queued_by } = SyncJob.shape

export const SyncView = z.object({
  job_id: z.string(),
  connector_id,
  connection_id,
  mode: z.enum(['incremental', 'full']),
  models,
  status: z.enum(SYNC_STATUSES),
  progress: z.object({
    added: z.int(),
    updated: z.int(),
    deleted: z.int(),
    unchanged: z.int(),
    pages: z.int(),
    duration_ms: z.int().nullable(),
  }),
  error_code: z.string().nullable(),
  queued_at,
  queued_by,
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
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
