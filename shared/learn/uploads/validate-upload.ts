// Checks an uploaded dataset and publishes it, or says what is wrong with it. Nobody reports that an upload ended, so the bucket is
// looked at, again and again for a day.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFile } from '../../base/aws/files.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import type { Stored } from '../../base/table/entity.ts'
import { claimDataset, describeFiles, publishFiles } from '../datasets/publish-files.ts'
import { type Dataset, datasets } from '../datasets/dataset.ts'
import { moveDataset } from '../datasets/move-dataset.ts'
import { checkLines } from './check-lines.ts'
import { uploadKey } from './create-dataset.ts'

const MINUTE = 60_000
const UPLOAD_WITHIN_MS = 1_440 * MINUTE
/** An address works for fifteen minutes; an upload that began then may take longer. */
const LOOK_EACH_MINUTE_MS = 30 * MINUTE

/** Of a dataset that awaits its upload or is being validated. */
export async function validateUpload(ctx: Context, found: Stored<Dataset>): Promise<void> {
  const content = await fetchUpload(found)
  if (found.status === 'awaiting_upload' && !content) return waitFurther(ctx, found)
  const claimed = await claimDataset(ctx, found)
  if (!claimed) {
    await content?.cancel()
    return
  }
  if (!content) return refuse(ctx, claimed, { code: 'upload_missing', message: 'The uploaded file is gone.' })
  const folder = await mkdtemp(join(tmpdir(), 'dataset-'))
  try {
    await check(ctx, claimed, content, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function waitFurther(ctx: Context, was: Stored<Dataset>): Promise<void> {
  const age = ctx.now() - Date.parse(was.created_at)
  if (age >= UPLOAD_WITHIN_MS) {
    const message = 'No file was uploaded within 24 hours. Create the dataset again.'
    return refuse(ctx, was, { code: 'not_uploaded', message })
  }
  const next = age < LOOK_EACH_MINUTE_MS ? MINUTE : 15 * MINUTE
  const due_at = iso(Math.min(ctx.now() + next, Date.parse(was.created_at) + UPLOAD_WITHIN_MS))
  await ctx.table.commit([datasets.replace({ ...was, due_at }, was)]).catch(() => undefined) // another worker looks at it, too
}

async function check(ctx: Context, was: Stored<Dataset>, content: AsyncIterable<Uint8Array>, folder: string) {
  const { format, upload } = was
  const path = `${format}/train.jsonl`
  await mkdir(join(folder, format))
  const { rows, size_bytes, sha256, bad, names_actions } = await checkLines(content, format, join(folder, path))
  if (size_bytes !== upload?.size || sha256 !== upload.sha256)
    return refuse(ctx, was, { code: 'wrong_file', message: 'The uploaded file is not the one that was announced.' })
  if (rows === 0) return refuse(ctx, was, { code: 'no_rows', message: 'The file has no rows.' })
  if (bad.length > 0)
    return refuse(ctx, was, { code: 'invalid_rows', message: `Rows are not valid for ${format}.`, lines: bad })
  const { files, content_sha256 } = describeFiles(was, [{ path, sha256, size_bytes, rows }], folder)
  await publishFiles(was, files, folder)
  await moveDataset(ctx, was, { status: 'ready', files, content_sha256, names_actions, progress: 1, due_at: undefined })
  await removeFile(uploadKey(was))
}

async function refuse(ctx: Context, was: Stored<Dataset>, error: NonNullable<Dataset['error']>): Promise<void> {
  await removeFile(uploadKey(was))
  await moveDataset(ctx, was, { status: 'invalid', due_at: undefined, error })
}

/** Undefined while there is none. Without the right to list the bucket, S3 answers AccessDenied for a missing object. */
async function fetchUpload(of: Dataset) {
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  try {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: uploadKey(of) }))
    return Body?.transformToWebStream()
  } catch (error) {
    if (error instanceof Error && ['NoSuchKey', 'NotFound', 'AccessDenied'].includes(error.name)) return undefined
    throw error
  }
}
