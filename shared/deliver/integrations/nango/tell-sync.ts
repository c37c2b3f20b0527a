// Nango's word that it has copied a list: the run that waits for it goes on, and one that nobody asked for is recorded.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import type { Connection } from '../connection.ts'
import { newJob, openSyncs, syncedModels, type SyncJob, syncJobs, touched } from '../sync/job.ts'
import { runSync } from '../sync/run-sync.ts'
import type { NangoMessage } from './message.ts'

export type Word = Extract<NangoMessage, { type: 'sync' }>

/** False: another run of the connector is under way, so that the word has to wait. */
export async function tellSync(ctx: Context, connection: Connection, word: Word): Promise<boolean> {
  const { connector_id } = connection
  const open = await ctx.table.get(openSyncs, { ...ctx.space, connector_id })
  const job = open && (await ctx.table.get(syncJobs, { ...ctx.space, id: open.job_id }))
  if (open && !(job && isFor(job, connection, word))) return false
  try {
    await runSync(ctx, await (job ? told(ctx, job, word) : unasked(ctx, connection, word)))
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}

const isFor = ({ connection_id, nango }: SyncJob, { id }: Connection, { syncName }: Word): boolean =>
  connection_id === id && nango?.sync === syncName && nango.model === undefined

async function told(ctx: Context, job: Stored<SyncJob>, word: Word): Promise<string> {
  await ctx.table.commit([syncJobs.replace(touched(ctx, wordIn(job, word)), job), listed(job, word)], job.id)
  return job.id
}

async function unasked(ctx: Context, { id, connector_id }: Connection, word: Word): Promise<string> {
  const at = iso(ctx.now())
  const of = { connector_id, connection_id: id, models: [word.syncName], sync_mode: modeOf(word) }
  const job = touched(ctx, wordIn({ ...newJob(ctx, of), status: 'running', started_at: at }, word))
  const open = openSyncs.insert({ ...ctx.space, connector_id, job_id: job.id })
  await ctx.table.commit([syncJobs.insert(job), open, listed(job, word)], job.id)
  return job.id
}

/** The counts are those of Nango's own run. */
function wordIn<T extends SyncJob>(job: T, { syncName, model, success, error, responseResults }: Word): T {
  const { added, updated, deleted } = responseResults
  const counts = { added: job.added + added, updated: job.updated + updated, deleted: job.deleted + deleted }
  const nango = { sync: syncName, model, ...(!success && { error_code: codeOf(error?.type) }) }
  return { ...job, ...counts, waits: 0, nango }
}

const CODE = /^[\w .-]{1,100}$/
const codeOf = (said: string | undefined): string => (said !== undefined && CODE.test(said) ? said : 'provider_error')

/** A run of Nango that began nowhere has read everything; what a webhook told it of is never all. */
const modeOf = ({ checkpoints, syncType }: Word): SyncJob['sync_mode'] =>
  syncType !== 'WEBHOOK' && (checkpoints?.from ?? undefined) === undefined ? 'full' : 'incremental'

/** Stands before the first record does, so that its list is known when the connection ends. */
function listed({ tenant_id, mode, connection_id }: SyncJob, { model }: Word) {
  const of = { tenant_id, mode, connection_id, model }
  return syncedModels.update(of, { set: { ...of, _type: syncedModels.name } })
}
