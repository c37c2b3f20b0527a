// Requests an export and reads its state. Only the request leaves evidence.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { iso } from '../../base/lib/clock.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { warn } from '../../base/lib/log.ts'
import { attachment } from '../../base/lib/export-text.ts'
import { artifactTypeOf, eventWrite, type Export, EXPORT_STATUSES, exports, fileExpiry, sharedEvent } from './export.ts'
import { PRESIGNED_SECONDS, presignedUrl } from '../../base/aws/presign.ts'
import type { Write } from '../../base/table/entity.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { enqueueExport } from './enqueue.ts'

const EXPORT_ID = idPattern('exp')
/** How long the first message may take to start a run. */
const FIRST_TRY_MS = 60_000

export const ExportView = z.object({
  export_id: z.string().describe('Id of the export.'),
  status: z.enum(EXPORT_STATUSES).describe('The current state.'),
  poll: z.string().describe('The path at which to read the state.'),
  download_url: z.string().optional().describe('A short-lived address of the finished file.'),
  /** When the download URL expires. Reading the state again gives a new one. */
  expires_at: z.string().optional().describe('When it expires.'),
  sha256: z.string().optional().describe('SHA-256 of the file, hex.'),
  size_bytes: z.int().optional().describe('Size in bytes.'),
  row_count: z.int().optional().describe('The number of rows.'),
  error: z.string().optional().describe('Why the export failed.'),
})
export type ExportView = z.output<typeof ExportView>

/** What must be there before the file is made, as part of the same commit. */
type Needed = { writes: Write[]; enqueue: () => Promise<void> }

/**
 * Stores a request and its evidence in one commit, and sends the message that makes the file. `needs` adds writes that the file
 * waits for, such as a run of checks; it is called again after a concurrent change. If the message is lost, the sweeper sends it.
 */
export async function requestExport(
  ctx: Context,
  ask: Export['ask'],
  needs: (id: string) => Promise<Needed | undefined> = async () => undefined,
): Promise<ExportView> {
  const id = ctx.id('exp')
  const { item, writes } = newExport(ctx, id, ask)
  const needed = await retryWhenChanged(async () => {
    const found = await needs(id)
    await ctx.table.commit([...writes, ...(found?.writes ?? [])], id)
    return found
  })
  await needed?.enqueue()
  await enqueueExport(ctx.space, id).catch((error: unknown) => warn('export_not_enqueued', error, { export: id }))
  return view(item)
}

function newExport(ctx: Context, id: string, ask: Export['ask']): { item: Export; writes: Write[] } {
  const at = ctx.now()
  const { type, ...range } = ask
  const data = { export: type, ...range }
  const artifact = newArtifact(ctx, { type: 'evidence.exported', subject: { type: 'export', id }, data, at })
  const item: Export = {
    ...ctx.space,
    id,
    status: 'processing',
    ask,
    requested_by: { type: ctx.principal.kind, id: ctx.principal.id },
    requested_at: iso(at),
    artifact: { id: artifact.artifact_id, hash: artifact.hash },
    attempt: 0,
    due_at: iso(at + FIRST_TRY_MS),
  }
  return { item, writes: [exports.insert(item), ...commitWith(ctx, [{ artifact }])] }
}

/** The state of an export. A ready one comes with a download URL, and each such answer is an event. */
export async function readExport(ctx: Context, id: string): Promise<ExportView> {
  const found = EXPORT_ID.test(id) ? await ctx.table.get(exports, { ...ctx.space, id }) : undefined
  if (!found || fileExpiry(found) <= ctx.now() || !mayRead(ctx, found)) throw notFound('export')
  if (found.status !== 'ready' || !found.file) return view(found)
  const { key, name, sha256, size_bytes, row_count } = found.file
  const at = ctx.now()
  const expires_at = iso(at + PRESIGNED_SECONDS * 1_000)
  const query = { 'response-content-disposition': attachment(name) }
  const download_url = presignedUrl('GetObject', { key, at, query })
  const occurrence = ctx.request.request_id
  await ctx.table.commit([
    eventWrite(
      ctx,
      found,
      sharedEvent(id, {
        artifact_type: artifactTypeOf(found.ask),
        shared_with: 'presigned_url',
        expires_at,
        occurrence,
      }),
    ),
  ])
  return { ...view(found), download_url, expires_at, sha256, size_bytes, row_count }
}

/** The right to request an export is also the right to read it. */
function mayRead({ principal }: Context, { ask }: Export): boolean {
  return principal.permissions.has(ask.type === 'usage' ? 'exports:usage' : 'exports:evidence')
}

function view({ id, status, ask, error }: Export): ExportView {
  return { export_id: id, status, poll: pollOf(ask.type, id), ...(error !== undefined && { error }) }
}

/** The path of its state, which the same callers may read. */
function pollOf(type: Export['ask']['type'], id: string): string {
  if (type === 'usage') return `/api/v1/exports/usage?export_id=${id}`
  return type === 'evidence' ? `/api/evidence/exports/${id}` : `/api/v1/exports/${id}`
}
