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
import { type Dataset, type DatasetFormat, datasets } from '../datasets/dataset.ts'
import { moveDataset } from '../datasets/move-dataset.ts'
import { uploadKey } from './create-dataset.ts'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { readJudgement, readPreference } from '../trainers/rows/examples.ts'
import { type Form, formsOf, NAMES, problemOf } from './rows.ts'

const MINUTE = 60_000
const UPLOAD_WITHIN_MS = 1_440 * MINUTE
/** An address works for fifteen minutes; an upload that began then may take longer. */
const LOOK_EACH_MINUTE_MS = 30 * MINUTE

/**
 * One look at a dataset that awaits its upload or is being validated: ends it as `ready` or `invalid`, or waits further. The file
 * must have the announced size and hash. Files are stored before the one write that makes the dataset `ready`; if the process dies,
 * a later worker starts again. A second worker does nothing while the lease of the first lasts.
 */
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

const REPORTED_MAX = 20
const LINE_BYTES_MAX = 1_048_576
const NEWLINE = 10

export type Checked = {
  rows: number
  size_bytes: number
  sha256: string
  /** The first ones, from line 1. */
  bad: { line: number; reason: string }[]
  /** Each row names its action and payload, as those of generated datasets do. */
  names_actions: boolean
}

/** An empty last line is none. */
export async function checkLines(
  content: AsyncIterable<Uint8Array>,
  format: DatasetFormat,
  path: string,
): Promise<Checked> {
  const digest = createHash('sha256')
  const file = createWriteStream(path)
  const lines = new Lines(format)
  let size_bytes = 0
  for await (const piece of content) {
    digest.update(piece)
    size_bytes += piece.length
    lines.take(piece)
    if (!file.write(piece)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return { ...lines.finish(), size_bytes, sha256: digest.digest('hex') }
}

/** The formats that the embedded trainer reads. */
const READERS: Partial<Record<DatasetFormat, (line: string) => unknown>> = { kto: readJudgement, dpo: readPreference }

function namesAction(format: DatasetFormat, line: string): boolean {
  try {
    READERS[format]?.(line)
    return true
  } catch {
    return false
  }
}

class Lines {
  readonly #format: DatasetFormat
  readonly #bad: Checked['bad'] = []
  #rows = 0
  /** The form of the first valid row: the loaders give a column one type, so all rows must have it. */
  #form: Form | undefined
  #namesActions: boolean
  #rest: Uint8Array[] = []
  #length = 0

  constructor(format: DatasetFormat) {
    this.#format = format
    this.#namesActions = format in READERS
  }

  take(piece: Uint8Array): void {
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, at))
      this.#end()
      from = at + 1
    }
    this.#keep(piece.subarray(from))
  }

  finish(): Pick<Checked, 'rows' | 'bad' | 'names_actions'> {
    if (this.#length > 0) this.#end()
    return { rows: this.#rows, bad: this.#bad, names_actions: this.#namesActions }
  }

  /** Of a line that is too long only the length is kept. */
  #keep(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length <= LINE_BYTES_MAX) this.#rest.push(part)
    else this.#rest = []
  }

  #end(): void {
    this.#rows += 1
    const reason = this.#length > LINE_BYTES_MAX ? `is longer than ${LINE_BYTES_MAX} bytes` : this.#problem()
    if (reason !== undefined && this.#bad.length < REPORTED_MAX) this.#bad.push({ line: this.#rows, reason })
    this.#rest = []
    this.#length = 0
  }

  #problem(): string | undefined {
    const text = Buffer.concat(this.#rest).toString()
    this.#namesActions &&= namesAction(this.#format, text)
    try {
      return this.#problemOf(JSON.parse(text))
    } catch {
      return 'is no JSON'
    }
  }

  #problemOf(row: unknown): string | undefined {
    const problem = problemOf(this.#format, row)
    if (problem !== undefined) return problem
    const forms = formsOf(this.#format, row)
    const [[column, form] = ['row', 'text' as const]] = forms
    const other = forms.find((one) => one[1] !== form)
    if (other) return `${other[0]}: is ${NAMES[other[1]]}, and ${column} is ${NAMES[form]}`
    this.#form ??= form
    return form === this.#form
      ? undefined
      : `${column}: is ${NAMES[form]}, and the rows before have ${NAMES[this.#form]}`
  }
}
