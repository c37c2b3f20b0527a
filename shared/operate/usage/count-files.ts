// What a space keeps in the bucket of files. Files come and go at addresses that are given out, and by rules of the bucket, so they
// are counted by what is there: listed once a day.
import { FILE_KINDS } from '../../base/aws/files.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type FileSums, fileSums } from './read-usage.ts'
import { noteUsage } from './note-usage.ts'

/** Pages of 1,000 files that are listed before the progress of the count is stored. */
const PAGES_AT_ONCE = 100
/** A count that was interrupted longer ago begins again. */
const STALE_MS = 86_400_000

type Place = NonNullable<FileSums['at']>

/** Safe to repeat: it goes on from the stored progress of a worker that died. */
export async function countFiles(ctx: Context): Promise<void> {
  let was = await ctx.table.get(fileSums, ctx.space)
  for (let at: Place | undefined = placeOf(ctx, was); at;) {
    const next = await listed(ctx, at)
    const ended = next.kind >= FILE_KINDS.length
    const counted = { bytes: was?.bytes ?? 0, ...(was?.counted_at !== undefined && { counted_at: was.counted_at }) }
    const sums: FileSums = ended
      ? { ...ctx.space, bytes: next.bytes, counted_at: iso(ctx.now()) }
      : { ...ctx.space, ...counted, at: next }
    await ctx.table.commit([was ? fileSums.replace(sums, was) : fileSums.insert(sums)])
    was = { ...sums, _v: (was?._v ?? 0) + 1 }
    at = sums.at
  }
  if (ctx.space.mode === 'live') await noteUsage(ctx)
}

function placeOf(ctx: Context, was: Stored<FileSums> | undefined): Place {
  const { at } = was ?? {}
  const goesOn = at && ctx.now() - Date.parse(at.began_at) < STALE_MS
  return goesOn ? at : { kind: 0, bytes: 0, began_at: iso(ctx.now()) }
}

/** Some pages further. */
async function listed({ space }: Context, from: Place): Promise<Place> {
  const { ListObjectsV2Command, s3 } = await import('../../base/aws/s3.ts')
  let at = from
  for (let page = 0; page < PAGES_AT_ONCE && at.kind < FILE_KINDS.length; page += 1) {
    const { after, ...place } = at
    const Prefix = `${FILE_KINDS[at.kind]}/${space.tenant_id}/${space.mode}/`
    const { Contents = [], IsTruncated } = await s3().send(
      new ListObjectsV2Command({ Bucket: env('FILES_BUCKET'), Prefix, StartAfter: after }),
    )
    const bytes = Contents.reduce((sum, { Size = 0 }) => sum + Size, at.bytes)
    const last = IsTruncated ? Contents.at(-1)?.Key : undefined
    at = last === undefined ? { ...place, kind: at.kind + 1, bytes } : { ...place, after: last, bytes }
  }
  return at
}
