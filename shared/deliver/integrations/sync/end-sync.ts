// The end of a run: its evidence and its event, in the commit that lets the next one begin.
import type { EventDraft } from '../../../ledger/events/event.ts'
import { commitWith } from '../../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../../base/context.ts'
import { lifecycle } from '../../../ledger/evidence/artifact/lifecycle.ts'
import { iso } from '../../../base/lib/clock.ts'
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
  const { status, ...how } = end
  const { write, transition } = life.move(ctx, was, status, { ...how, ...UNDER_WAY, ended_at: iso(ctx.now()) })
  await ctx.table.commit([
    write,
    openSyncs.remove({ ...ctx.space, connector_id: was.connector_id }),
    ...more,
    ...commitWith(ctx, [transition]),
  ])
}

/** Members of a run that has not ended. */
const UNDER_WAY = { due_at: undefined, next: undefined, sweeping: undefined, nango: undefined }

const figuresOf = ({ added, updated, deleted }: Pick<SyncJob, 'added' | 'updated' | 'deleted'>) => ({
  records_added: added,
  records_updated: updated,
  records_deleted: deleted,
})

const life = lifecycle(syncJobs, SYNC_STATES, {
  facts: ({ id, connector_id, connection_id, status, error_code, ...job }) => ({
    type: 'integration.sync.completed',
    subject: { type: 'sync_job', id },
    data: { connector_id, connection_id, status, ...figuresOf(job), ...(error_code !== undefined && { error_code }) },
  }),
  events: (job) => [completed(job)],
  lost: () => undefined, // a worker that another one has overtaken stops at `ConditionFailed`
})

function completed({ id, _v, connector_id, connection_id, models, error_code, ...job }: Stored<SyncJob>): EventDraft {
  const { status, ended_at = job.queued_at, started_at = job.queued_at } = job
  if (status === 'queued' || status === 'running') throw new Error('a run that has not ended')
  return {
    type: 'integration.sync.completed',
    subject: { id, version: _v },
    data: {
      connector_id,
      connection_id,
      job_id: id,
      status,
      models,
      ...figuresOf(job),
      duration_ms: Date.parse(ended_at) - Date.parse(started_at),
      error_code: error_code ?? null,
    },
  }
}
