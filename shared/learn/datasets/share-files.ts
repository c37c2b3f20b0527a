// Gives out addresses of the files of a dataset. Each time is an event, since the files hold what agents asked for.
import type * as z from 'zod'
import { PRESIGNED_SECONDS, presignedUrl } from '../../base/aws/presign.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { attachment } from '../../base/lib/export-text.ts'
import type { Stored } from '../../base/table/entity.ts'
import { stamped } from '../../ledger/events/event.ts'
import { outbox, outboxKey, packEvents } from '../../ledger/events/outbox.ts'
import { type Dataset, datasetKey } from './dataset.ts'
import { datasetView, type SharedDatasetView } from './dataset-view.ts'

/** Without addresses when the caller may not read evidence, or when there are no files. */
export async function shareFiles(ctx: Context, dataset: Stored<Dataset>): Promise<z.output<typeof SharedDatasetView>> {
  const view = datasetView(dataset)
  if (!ctx.principal.permissions.has('evidence:read') || dataset.status !== 'ready') return view
  const at = ctx.now()
  const urls_expire_at = iso(at + PRESIGNED_SECONDS * 1_000)
  const urlOf = (path: string) => {
    const query = { 'response-content-disposition': attachment(path.replaceAll('/', '-')) }
    return presignedUrl('GetObject', { key: datasetKey(dataset, path), at, query })
  }
  await ctx.table.commit([sharedEvent(ctx, dataset, urls_expire_at)])
  return { ...view, urls_expire_at, files: view.files.map((file) => ({ ...file, url: urlOf(file.path) })) }
}

function sharedEvent(ctx: Context, { id, artifact }: Dataset, expires_at: string) {
  const { principal, request } = ctx
  const draft = {
    type: 'artifact.shared' as const,
    subject: { id: `${id}/${request.request_id}`, version: 1 },
    data: { artifact_type: 'dataset' as const, resource_id: id, shared_with: 'presigned_url', expires_at },
  }
  const events = packEvents([stamped(draft, { type: principal.kind, id: principal.id }, artifact)])
  return outbox.insert({ ...outboxKey(ctx.space, ctx.id('out').slice('out_'.length)), events, at: ctx.now() })
}
