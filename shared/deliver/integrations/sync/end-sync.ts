// The end of a run: its evidence and its event, in the commit that lets the next one begin.
import { newArtifact } from '../../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { mustAllowMove } from '../../../base/lib/states.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { connections } from '../connection.ts'
import { beginRemoval, removalOf } from './removal.ts'
import { listsOf, openSyncs, SYNC_STATES, type SyncJob, syncJobs } from './job.ts'

export type SyncEnd = { status: 'completed' | 'partial' | 'failed'; error_code?: string }

/** Another connection than the one that a run began with is another account. */
export async function hasEnded(ctx: Context, { connector_id, connection_id }: SyncJob): Promise<boolean> {
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id })
  return connection?.id !== connection_id || connection.status === 'disconnected'
}

/**
 * What a run wrote after its connection had ended must not stay, however it ends. Throws `ConditionFailed` when another worker has
 * moved it.
 */
export async function endSync(ctx: Context, was: Stored<SyncJob>, end: SyncEnd): Promise<void> {
  if (!(await hasEnded(ctx, was))) return commitEnd(ctx, was, end)
  const { connection_id, models } = was
  const more = [await removalOf(ctx, connection_id, [...models, ...(await listsOf(ctx, connection_id))])]
  await commitEnd(ctx, was, { status: 'partial', error_code: 'connection_inactive' }, more)
  await beginRemoval(ctx, connection_id)
}

async function commitEnd(ctx: Context, was: Stored<SyncJob>, end: SyncEnd, more: readonly Write[] = []): Promise<void> {
  mustAllowMove(SYNC_STATES, was.status, end.status)
  const { due_at: _, next: __, sweeping: ___, nango: ____, ...rest } = was
  const job: SyncJob = { ...rest, ...end, ended_at: iso(ctx.now()) }
  const { id, connector_id, connection_id, models, added, updated, deleted, status, error_code } = job
  const figures = { records_added: added, records_updated: updated, records_deleted: deleted }
  const duration_ms = ctx.now() - Date.parse(job.started_at ?? job.queued_at)
  const artifact = newArtifact(ctx, {
    type: 'integration.sync.completed',
    subject: { type: 'sync_job', id },
    data: { connector_id, connection_id, status, ...figures, ...(error_code !== undefined && { error_code }) },
  })
  const event = {
    type: 'integration.sync.completed' as const,
    subject: { id, version: was._v + 1 },
    data: {
      connector_id,
      connection_id,
      job_id: id,
      status: end.status,
      models,
      ...figures,
      duration_ms,
      error_code: error_code ?? null,
    },
  }
  await ctx.table.commit([
    syncJobs.replace(job, was),
    openSyncs.remove({ ...ctx.space, connector_id }),
    ...more,
    ...recorded(ctx, [{ artifact, events: [event] }]),
  ])
}
