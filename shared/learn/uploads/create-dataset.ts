// Creates a dataset of rows that the caller has: in the request, or in a file that is uploaded afterwards.
import * as z from 'zod'
import { PRESIGNED_SECONDS, presignedUrl } from '../../base/aws/presign.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import type { Stored } from '../../base/table/entity.ts'
import { eitherOf, freeForm, optional } from '../../base/wire/fields.ts'
import { type Dataset, DATASET_FORMATS, datasetKey } from '../datasets/dataset.ts'
import { datasetName } from '../datasets/dataset-name.ts'
import { type DatasetView, datasetView } from '../datasets/dataset-view.ts'
import { storeDataset } from '../datasets/store-dataset.ts'

const RECORDS_MAX = 1_000
const UPLOAD_BYTES_MAX = 1_073_741_824
const CONTENT_TYPE = 'application/x-ndjson'
/** The file of uploaded rows, unchanged, in the folder of their dataset. */
export const UPLOADED = 'uploaded.jsonl'

export const DatasetBody = z
  .strictObject({
    name: datasetName,
    format: z.enum(DATASET_FORMATS).describe('Format of the rows.'),
    records: optional(z.array(freeForm).min(1).max(RECORDS_MAX)).describe(
      'The rows, each as the format has them; at most 1,000.',
    ),
    upload: optional(
      z.strictObject({
        size: z.int().min(2).max(UPLOAD_BYTES_MAX).describe('Size in bytes.'),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
          .describe('SHA-256 of the file, hex.'),
      }),
    ).describe('The file that you will upload instead.'),
  })
  .refine(({ records, upload }) => (records === undefined) !== (upload === undefined), {
    error: 'must have either records or upload',
  })
  .meta(eitherOf('records', 'upload'))

/** Where to upload the file, with exactly these headers, until `expires_at`. */
export const UploadAddress = z.object({
  url: z.string().describe('A short-lived address for the upload.'),
  method: z.literal('PUT').describe('HTTP method of the upload.'),
  headers: z.record(z.string(), z.string()).describe('Header fields to send.'),
  expires_at: z.string().describe('When it expires.'),
})

/**
 * Stores the dataset as waiting for its file, or with rows in the body as `validating`. Content is not trusted before it was
 * validated: size and hash of a file are announced here and compared later. Rows are stored in the bucket first; if the process
 * dies then, no dataset names them.
 */
export async function createDataset(ctx: Context, body: z.output<typeof DatasetBody>): Promise<Stored<Dataset>> {
  const { name, format, records, upload } = body
  const id = ctx.id('dst')
  const draft = { id, name, format, source: 'upload', style: 'json' } as const
  if (!records) return storeDataset(ctx, { ...draft, status: 'awaiting_upload', ...(upload && { upload }) })
  const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const { PutObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const Key = uploadKey({ ...ctx.space, id })
  await s3().send(new PutObjectCommand({ Bucket: env('FILES_BUCKET'), Key, Body: bytes, ContentType: CONTENT_TYPE }))
  return storeDataset(ctx, {
    ...draft,
    status: 'validating',
    upload: { size: bytes.length, sha256: sha256Hex(bytes) },
  })
}

/** The version is not known while the address is made, so it is no part of it. */
export const uploadKey = (of: Pick<Dataset, 'tenant_id' | 'mode' | 'id'>): string =>
  datasetKey({ ...of, dataset_version: 0 }, UPLOADED)

/** With a new address while the file is awaited. */
export function awaitedView(dataset: Stored<Dataset>, at: number) {
  const view: z.output<typeof DatasetView> = datasetView(dataset)
  const { status, upload } = dataset
  if (status !== 'awaiting_upload' || !upload) return view
  const headers = {
    'content-length': String(upload.size),
    'content-type': CONTENT_TYPE,
    'x-amz-checksum-sha256': Buffer.from(upload.sha256, 'hex').toString('base64'),
  }
  const url = presignedUrl('PutObject', { key: uploadKey(dataset), at, headers })
  return {
    ...view,
    upload: { url, method: 'PUT' as const, headers, expires_at: iso(at + PRESIGNED_SECONDS * 1_000) },
  }
}
