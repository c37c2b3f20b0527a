// Carries a run on for some pages, then hands it on. Whatever ends it between two writes, it continues from its item.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { askNango, unlessAway } from './at-nango.ts'
import { endSync } from './end-sync.ts'
import { enqueueSync } from './enqueue.ts'
import { type SyncJob, syncedModels, syncJobs } from './job.ts'
import type { PageAnswer } from './list-page.ts'
import { AWAY_SECONDS, isUnderWay, type ListAnswer, listName, pageOf, sourceOf } from './source.ts'
import { removeUnseen, storePage } from './store-page.ts'
import { moved, touched, WAITS_MAX } from './touched.ts'

const PAGES_A_MESSAGE = 10

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

async function carryOn(ctx: Context, job: Stored<SyncJob>): Promise<void> {
  let at = job
  if (at.nango?.error_code !== undefined) return stop(ctx, at, { kind: 'failed', error_code: at.nango.error_code })
  const source = await unlessAway(() => sourceOf(ctx, at))
  if (source === 'away') return wait(ctx, at, AWAY_SECONDS)
  if (!source) return endSync(ctx, at, { status: 'partial', error_code: 'connection_inactive' })
  for (let page = 0; page < PAGES_A_MESSAGE; page += 1) {
    const name = at.models[at.at_model]
    if (name === undefined) return endSync(ctx, at, { status: 'completed' })
    if (at.sweeping) {
      at = await nextModel(ctx, await removeUnseen(ctx, at, listName(at, name)), name)
      continue
    }
    if (source.nango && !isUnderWay(at)) {
      const asked = await askNango(ctx, source.nango, at, name)
      if (asked === 'away') return wait(ctx, at, AWAY_SECONDS)
      if (asked === 'asked') return // until it tells that it is done
      at = asked
    }
    const answer = await pageOf(ctx, source, at, name)
    if (answer.kind !== 'page') return stop(ctx, at, answer)
    at = await storePage(ctx, at, listName(at, name), answer.records)
    at = await afterPage(ctx, at, name, answer)
  }
  await handOn(at)
}

const handOn = ({ tenant_id, mode, id }: SyncJob, seconds = 0): Promise<void> =>
  enqueueSync({ tenant_id, mode, id }, seconds)

/** The checkpoint follows the records of the page, never the other way round. */
async function afterPage(
  ctx: Context,
  was: Stored<SyncJob>,
  name: string,
  { next, cursor }: Extract<ListAnswer, { kind: 'page' }>,
): Promise<Stored<SyncJob>> {
  const { next: _, ...rest } = was
  const nango = rest.nango && { ...rest.nango, ...(cursor !== undefined && { cursor }) }
  const at = { ...rest, pages: was.pages + 1, ...(nango && { nango }) }
  if (next !== undefined) return moved(ctx, at, { next })
  if (was.sync_mode === 'full') return moved(ctx, at, { sweeping: true })
  return nextModel(ctx, at, name)
}

async function nextModel(ctx: Context, was: Stored<SyncJob>, name: string): Promise<Stored<SyncJob>> {
  const { next: _, sweeping: __, nango, ...rest } = was
  const next = touched(ctx, { ...rest, at_model: was.at_model + 1 })
  const of = { ...ctx.space, connection_id: was.connection_id, model: listName(was, name) }
  const reached = nango ? { cursor: nango.cursor } : { since: was.started_at ?? was.queued_at }
  const mark = syncedModels.update(of, { set: { ...of, ...reached, _type: syncedModels.name } })
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
