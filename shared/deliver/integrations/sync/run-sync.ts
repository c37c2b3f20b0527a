// Carries a run on for some pages, then sends a message for the next ones. If the process dies between two writes, the run
// continues from its item.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { endSync, hasEnded } from './end-sync.ts'
import { enqueueSync } from './enqueue.ts'
import { moved, syncedModels, type SyncJob, syncJobs, touched, WAITS_MAX } from './job.ts'
import { type ListedRecord, listPage, PAGE_SIZE, type PageAnswer } from './list-page.ts'
import { removeUnseen, storePage } from './store-page.ts'
import type { OpenConnection } from '../../../base/ports/effects.ts'
import { providerOf } from '../catalogue/catalogue.ts'
import type { Model } from '../catalogue/provider.ts'
import { Refused } from '../oauth/conformed.ts'
import {
  type AtNango,
  nangoAccount,
  type NangoRecord,
  readConnection,
  readRecords,
  syncsOf,
  triggerSync,
} from '../oauth/nango.ts'
import { openConnection } from '../open-connection.ts'
import { canonicalJson, type Json } from '../../../base/lib/json.ts'
import { Failure } from '../../../base/lib/failure.ts'
import { connections } from '../connection.ts'

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
      if (asked === 'asked') return // its message continues the run
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
  const at = { ...rest, pages: was.pages + 1, waits: 0, ...(nango && { nango }) }
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

// Where a run reads its current list: from the provider, or from Nango's cache after Nango has reported its copy.

/** Until a service that does not answer is asked again. */
const AWAY_SECONDS = 30

/** A list of Nango is copied under the name of its model there. */
const listName = ({ nango }: SyncJob, name: string): string => nango?.model ?? name

/** Nango has reported this list, or the run has begun to copy it by itself. */
const isUnderWay = ({ nango, next }: SyncJob): boolean => nango?.model !== undefined || next !== undefined

export type Source = { connection: OpenConnection; nango: AtNango | undefined }

/** Undefined once the connection has ended. */
async function sourceOf(ctx: Context, job: SyncJob): Promise<Source | undefined> {
  if (await hasEnded(ctx, job)) return undefined
  const connection = await openConnection(ctx, job.connector_id)
  return connection && { connection, nango: await nangoOf(ctx, job) }
}

type Page = Extract<NangoPage, { kind: 'page' }>
type ListAnswer = (Omit<Page, 'cursor'> & Partial<Pick<Page, 'cursor'>>) | Exclude<PageAnswer, { kind: 'page' }>

async function pageOf(ctx: Context, { connection, nango }: Source, at: SyncJob, name: string): Promise<ListAnswer> {
  const copied = at.nango?.model
  if (copied !== undefined) {
    if (!nango) return { kind: 'failed', error_code: 'connection_inactive' }
    const page = await unlessAway(() => nangoPage(ctx, nango, at, copied))
    return page === 'away' ? { kind: 'wait', seconds: AWAY_SECONDS } : page
  }
  const model = providerOf(at.connector_id)?.models.find((one) => one.name === name)
  if (!model) return { kind: 'failed', error_code: 'unknown_model' }
  return listPage(ctx, connection, { model, next: at.next, since: await sinceOf(ctx, at, model) })
}

async function sinceOf(ctx: Context, { sync_mode, connection_id }: SyncJob, model: Model): Promise<string | undefined> {
  if (sync_mode === 'full' || model.since === undefined) return undefined
  return (await ctx.table.get(syncedModels, { ...ctx.space, connection_id, model: model.name }))?.since
}

// A list that Nango copies: Nango is asked to, sends a message when it is done, and the list is then read from its cache.

/** Undefined for connections whose tokens are kept here, and where Nango's is not of this tenant: the row names it. */
async function nangoOf(ctx: Context, { connector_id, connection_id }: SyncJob): Promise<AtNango | undefined> {
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id })
  const nango_id = connection?.id === connection_id ? connection.nango_id : undefined
  const account = nango_id === undefined ? undefined : await nangoAccount()
  if (nango_id === undefined || !account) return undefined
  // What the provider refuses is noted where the connection is opened.
  const { tags } = (await readConnection(account, nango_id, connector_id).catch(whenRefused)) ?? {}
  const isTheirs = tags?.['tenant_id'] === ctx.space.tenant_id && tags['mode'] === ctx.space.mode
  return isTheirs ? { account, nango_id, connector_id } : undefined
}

function whenRefused(error: unknown): undefined {
  if (!(error instanceof Refused)) throw error
}

/** Whether Nango copies a list: `ours`, never; `begun`, it does so now, since a run asked for it; `idle`, once it is asked to. */
async function copyState(nango: AtNango, { nango: asked }: SyncJob, sync: string) {
  const status = (await syncsOf(nango)).get(sync)
  if (status === undefined) return 'ours' as const
  return asked && status === 'RUNNING' ? ('begun' as const) : ('idle' as const)
}

/** Asks Nango to copy a list. The run is stored as waiting before it asks, so that Nango's message never comes too early. */
async function askNango(
  ctx: Context,
  nango: AtNango,
  at: Stored<SyncJob>,
  sync: string,
): Promise<Stored<SyncJob> | 'asked' | 'away'> {
  const state = await unlessAway(() => copyState(nango, at, sync))
  if (state === 'away') return state
  if (state === 'ours') return at.nango ? moved(ctx, at, { nango: undefined }) : at
  if (state === 'begun') {
    if (at.waits < WAITS_MAX) await moved(ctx, at, { waits: at.waits + 1 })
    return 'asked'
  }
  if (!at.nango) await moved(ctx, at, { nango: { sync } })
  const asked = await unlessAway(() => triggerSync(nango, sync, at.sync_mode === 'full'))
  return asked === 'away' ? asked : 'asked'
}

type NangoPage = Exclude<PageAnswer, { kind: 'page' }> | (Extract<PageAnswer, { kind: 'page' }> & Reached)
type Reached = { cursor: string | undefined }

/** Behind the place that the run has reached; at its beginning, behind what the run before has read. */
async function nangoPage(ctx: Context, nango: AtNango, job: SyncJob, model: string): Promise<NangoPage> {
  const from = job.next ?? (job.sync_mode === 'full' ? undefined : await cursorOf(ctx, job, model))
  const found = await readRecords(nango, { model, cursor: from, limit: PAGE_SIZE })
  if (!found) return { kind: 'failed', error_code: 'http_404' }
  const { records, next } = found
  return {
    kind: 'page',
    records: records.map(listed),
    // A list that answers the same place for ever would never end.
    next: next === job.next ? undefined : next,
    cursor: records.at(-1)?._nango_metadata.cursor ?? job.nango?.cursor ?? from,
  }
}

const cursorOf = async (ctx: Context, { connection_id }: SyncJob, model: string): Promise<string | undefined> =>
  (await ctx.table.get(syncedModels, { ...ctx.space, connection_id, model }))?.cursor

function listed({ _nango_metadata, ...content }: NangoRecord): ListedRecord {
  const gone = typeof _nango_metadata.deleted_at === 'string'
  const json = content as Json
  return { external_id: String(content.id), content: json, text: canonicalJson(json), ...(gone && { gone }) }
}

/** A service that does not answer is asked again later. */
async function unlessAway<T>(asking: () => Promise<T>): Promise<T | 'away'> {
  try {
    return await asking()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unavailable') return 'away'
    throw error
  }
}
