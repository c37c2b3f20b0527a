// Files of submitted evidence in the bucket of files. Whoever uploads one is bound by the signature of the address to the
// announced size, type and hash (S3 refuses anything else); what counts is what is then read back here.
import { createHash } from 'node:crypto'
import type { Space } from '../../base/context.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { PRESIGNED_SECONDS, presignedUrl } from '../../base/aws/presign.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/env.ts'
import { unavailable } from '../../base/lib/failure.ts'
import type { AnnouncedFile } from './submission.ts'

const keyOf = (of: Space & { id: string }): string => `submitted/${chainName(of)}/${of.id}`

/** Where the file goes, until `expires_at`. Each of `headers` must be sent as it is. */
export type UploadAddress = { url: string; method: 'PUT'; headers: Record<string, string>; expires_at: string }

export function uploadAddress(of: Space & { id: string }, file: AnnouncedFile, at: number): UploadAddress {
  const headers = {
    'content-length': String(file.size),
    'content-type': file.content_type,
    'x-amz-checksum-sha256': Buffer.from(file.sha256, 'hex').toString('base64'),
  }
  const url = presignedUrl('PutObject', { key: keyOf(of), at, headers })
  return { url, method: 'PUT', headers, expires_at: iso(at + PRESIGNED_SECONDS * 1_000) }
}

export type Uploaded = { matches: boolean; etag: string | undefined }

/** Compares what lies there with what was announced; undefined when nothing does. Never holds the file in memory. */
export async function checkUpload(of: Space & { id: string }, file: AnnouncedFile): Promise<Uploaded | undefined> {
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  try {
    const found = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of) }))
    const content = found.Body?.transformToWebStream()
    if (found.ContentLength !== file.size || !content) {
      await content?.cancel()
      return { matches: false, etag: found.ETag }
    }
    const digest = createHash('sha256')
    for await (const piece of content) digest.update(piece)
    return { matches: digest.digest('hex') === file.sha256, etag: found.ETag }
  } catch (error) {
    if (isMissing(error)) return undefined
    throw unavailable('The bucket of files does not answer.', error)
  }
}

/** S3 tells only those who may list a bucket that an object is missing; others are denied it, as they are told. */
const isMissing = (error: unknown) =>
  error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'AccessDenied')

/** Removes what lies there; where it was looked at before, not what somebody may have put there since. */
export async function removeUpload(of: Space & { id: string }, { etag }: Partial<Uploaded> = {}): Promise<void> {
  const { DeleteObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const command = new DeleteObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of), IfMatch: etag })
  try {
    await s3().send(command)
  } catch (error) {
    const changed = error instanceof Error && error.name === 'PreconditionFailed'
    if (!changed) throw unavailable('The bucket of files does not answer.', error)
  }
}
