// A list that Nango copies: it is asked to, tells when it is done, and is then read from its cache.
import type { Context } from '../../../base/context.ts'
import { canonicalJson, type Json } from '../../../base/lib/json.ts'
import { Failure } from '../../../base/lib/failure.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { connections } from '../connection.ts'
import {
  type AtNango,
  nangoAccount,
  type NangoRecord,
  readConnection,
  readRecords,
  syncsOf,
  triggerSync,
} from '../oauth/nango.ts'
import { type SyncJob, syncedModels } from './job.ts'
import { type ListedRecord, PAGE_SIZE, type PageAnswer } from './list-page.ts'
import { moved, WAITS_MAX } from './touched.ts'

/** Undefined for connections whose tokens are kept here, and where Nango's is not of this tenant: the row names it. */
export async function nangoOf(ctx: Context, { connector_id, connection_id }: SyncJob): Promise<AtNango | undefined> {
  const connection = await ctx.table.get(connections, { ...ctx.space, connector_id })
  const nango_id = connection?.id === connection_id ? connection.nango_id : undefined
  const account = nango_id === undefined ? undefined : await nangoAccount()
  if (nango_id === undefined || !account) return undefined
  const { tags } = (await readConnection(account, nango_id, connector_id)) ?? {}
  const isTheirs = tags?.['tenant_id'] === ctx.space.tenant_id && tags['mode'] === ctx.space.mode
  return isTheirs ? { account, nango_id, connector_id } : undefined
}

/** Whether a list is copied by Nango: not at all; already, since a run asked for it; or once it is asked to. */
async function standingOf(nango: AtNango, { nango: asked }: SyncJob, sync: string) {
  const status = (await syncsOf(nango)).get(sync)
  if (status === undefined) return 'ours' as const
  return asked && status === 'RUNNING' ? ('begun' as const) : ('idle' as const)
}

/** Asks Nango to copy a list, when it does so. The run waits for its word before it is asked, so that none comes too early. */
export async function askNango(
  ctx: Context,
  nango: AtNango,
  at: Stored<SyncJob>,
  sync: string,
): Promise<Stored<SyncJob> | 'asked' | 'away'> {
  const standing = await unlessAway(() => standingOf(nango, at, sync))
  if (standing === 'away') return standing
  if (standing === 'ours') return at.nango ? moved(ctx, at, { nango: undefined }) : at
  if (standing === 'begun') {
    if (at.waits < WAITS_MAX) await moved(ctx, at, { waits: at.waits + 1 })
    return 'asked'
  }
  if (!at.nango) await moved(ctx, at, { nango: { sync } })
  const asked = await unlessAway(() => triggerSync(nango, sync, at.sync_mode === 'full'))
  return asked === 'away' ? asked : 'asked'
}

export type NangoPage = Exclude<PageAnswer, { kind: 'page' }> | (Extract<PageAnswer, { kind: 'page' }> & Reached)
type Reached = { cursor: string | undefined }

/** Behind the place that the run has reached; at its beginning, behind what the run before has read. */
export async function nangoPage(ctx: Context, nango: AtNango, job: SyncJob, model: string): Promise<NangoPage> {
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
export async function unlessAway<T>(asking: () => Promise<T>): Promise<T | 'away'> {
  try {
    return await asking()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unavailable') return 'away'
    throw error
  }
}
