// Where a run reads the list that it is at: from the provider, or from Nango's cache once Nango has told of it.
import type { Context } from '../../../base/context.ts'
import type { OpenConnection } from '../../../base/ports/open-connections.ts'
import { providerOf } from '../catalogue/catalogue.ts'
import type { Model } from '../catalogue/provider.ts'
import type { AtNango } from '../oauth/nango.ts'
import { openConnection } from '../open-connection.ts'
import { nangoOf, type NangoPage, nangoPage, unlessAway } from './at-nango.ts'
import { hasEnded } from './end-sync.ts'
import { type SyncJob, syncedModels } from './job.ts'
import { listPage, type PageAnswer } from './list-page.ts'

/** Until a service that does not answer is asked again. */
export const AWAY_SECONDS = 30

/** A list of Nango is copied under the name of its model there. */
export const listName = ({ nango }: SyncJob, name: string): string => nango?.model ?? name

/** Nango has told of this list, or the run has begun to copy it by itself. */
export const isUnderWay = ({ nango, next }: SyncJob): boolean => nango?.model !== undefined || next !== undefined

export type Source = { connection: OpenConnection; nango: AtNango | undefined }

/** Undefined once the connection has ended. */
export async function sourceOf(ctx: Context, job: SyncJob): Promise<Source | undefined> {
  if (await hasEnded(ctx, job)) return undefined
  const connection = await openConnection(ctx, job.connector_id)
  return connection && { connection, nango: await nangoOf(ctx, job) }
}

type Page = Extract<NangoPage, { kind: 'page' }>
export type ListAnswer = (Omit<Page, 'cursor'> & Partial<Pick<Page, 'cursor'>>) | Exclude<PageAnswer, { kind: 'page' }>

export async function pageOf(
  ctx: Context,
  { connection, nango }: Source,
  at: SyncJob,
  name: string,
): Promise<ListAnswer> {
  const told = at.nango?.model
  if (told !== undefined) {
    if (!nango) return { kind: 'failed', error_code: 'connection_inactive' }
    const page = await unlessAway(() => nangoPage(ctx, nango, at, told))
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
