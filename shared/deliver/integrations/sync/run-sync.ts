// Carries a run on for some pages, then hands it on. Whatever ends it between two writes, it continues from its item.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { Failure } from '../../../base/lib/failure.ts'
import type { OpenConnection } from '../../../base/ports/open-connections.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { providerOf } from '../catalogue/catalogue.ts'
import type { Model } from '../catalogue/provider.ts'
import { openConnection } from '../open-connection.ts'
import { endSync, hasEnded } from './end-sync.ts'
import { enqueueSync } from './enqueue.ts'
import { type SyncJob, syncedModels, syncJobs } from './job.ts'
import { listPage, type PageAnswer } from './list-page.ts'
import { removeUnseen, storePage } from './store-page.ts'
import { touched } from './touched.ts'

const PAGES_A_MESSAGE = 10
const WAITS_MAX = 20

/** Does nothing for a run that has ended, or that another worker carries on. */
export async function runSync(ctx: Context, id: string): Promise<void> {
  const found = await ctx.table.get(syncJobs, { ...ctx.space, id })
  if (!found || found.ended_at !== undefined) return
  try {
    await carryOn(ctx, await started(ctx, found))
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}

async function started(ctx: Context, job: Stored<SyncJob>): Promise<Stored<SyncJob>> {
  if (job.status !== 'queued') return job
  return moved(ctx, job, { status: 'running', started_at: iso(ctx.now()) })
}

async function moved(ctx: Context, was: Stored<SyncJob>, change: Partial<SyncJob>): Promise<Stored<SyncJob>> {
  const next = touched(ctx, { ...was, ...change })
  await ctx.table.commit([syncJobs.replace(next, was)])
  return { ...next, _v: was._v + 1 }
}

async function carryOn(ctx: Context, job: Stored<SyncJob>): Promise<void> {
  let at = job
  const connection = await opened(ctx, at)
  if (connection === 'later') return wait(ctx, at, 30)
  if (!connection) return endSync(ctx, at, { status: 'partial', error_code: 'connection_inactive' })
  for (let page = 0; page < PAGES_A_MESSAGE; page += 1) {
    const model = modelAt(at)
    if (!model) return endSync(ctx, at, { status: 'completed' })
    if (at.sweeping) {
      at = await nextModel(ctx, await removeUnseen(ctx, at, model.name), model)
      continue
    }
    const since = await sinceOf(ctx, at, model)
    const answer = await listPage(ctx, connection, { model, next: at.next, since })
    if (answer.kind !== 'page') return stop(ctx, at, answer)
    at = await storePage(ctx, at, model.name, answer.records)
    at = await afterPage(ctx, at, { model, next: answer.next })
  }
  await handOn(at)
}

const handOn = ({ tenant_id, mode, id }: SyncJob, seconds = 0): Promise<void> =>
  enqueueSync({ tenant_id, mode, id }, seconds)

const modelAt = ({ connector_id, models, at_model }: SyncJob): Model | undefined =>
  providerOf(connector_id)?.models.find(({ name }) => name === models[at_model])

async function opened(ctx: Context, job: SyncJob): Promise<OpenConnection | 'later' | undefined> {
  if (await hasEnded(ctx, job)) return undefined
  try {
    return await openConnection(ctx, job.connector_id)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unavailable') return 'later'
    throw error
  }
}

async function sinceOf(ctx: Context, { sync_mode, connection_id }: SyncJob, model: Model): Promise<string | undefined> {
  if (sync_mode === 'full' || model.since === undefined) return undefined
  return (await ctx.table.get(syncedModels, { ...ctx.space, connection_id, model: model.name }))?.since
}

type After = { model: Model; next: string | undefined }

/** The checkpoint follows the records of the page, never the other way round. */
async function afterPage(ctx: Context, was: Stored<SyncJob>, { model, next }: After): Promise<Stored<SyncJob>> {
  const { next: _, ...rest } = was
  const at = { ...rest, pages: was.pages + 1 }
  if (next !== undefined) return moved(ctx, at, { next })
  if (was.sync_mode === 'full') return moved(ctx, at, { sweeping: true })
  return nextModel(ctx, at, model)
}

async function nextModel(ctx: Context, was: Stored<SyncJob>, model: Model): Promise<Stored<SyncJob>> {
  const { next: _, sweeping: __, ...rest } = was
  const next = touched(ctx, { ...rest, at_model: was.at_model + 1 })
  const of = { ...ctx.space, connection_id: was.connection_id, model: model.name }
  const since = was.started_at ?? was.queued_at
  const mark = syncedModels.update(of, { set: { ...of, since, _type: syncedModels.name } })
  await ctx.table.commit([syncJobs.replace(next, was), mark])
  return { ...next, _v: was._v + 1 }
}

async function stop(ctx: Context, at: Stored<SyncJob>, answer: Exclude<PageAnswer, { kind: 'page' }>): Promise<void> {
  if (answer.kind === 'wait') return wait(ctx, at, answer.seconds)
  if (answer.kind === 'refused') return endSync(ctx, at, { status: 'partial', error_code: 'needs_reauth' })
  const status = at.pages > 0 ? 'partial' : 'failed'
  return endSync(ctx, at, { status, error_code: answer.error_code })
}

async function wait(ctx: Context, at: Stored<SyncJob>, seconds: number): Promise<void> {
  if (at.waits >= WAITS_MAX) return endSync(ctx, at, { status: 'partial', error_code: 'rate_limited' })
  await handOn(await moved(ctx, at, { waits: at.waits + 1 }), seconds)
}
