// Files of submitted evidence in the bucket. The presigned URL binds size, type and hash, so S3 refuses any other file. The file
// that is read back here decides.
import { createHash } from 'node:crypto'
import type { Space } from '../../base/context.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import { PRESIGNED_SECONDS, presignedUrl } from '../../base/aws/presign.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { unavailable } from '../../base/lib/failure.ts'
import type { AnnouncedFile } from './submission.ts'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'

export const keyOf = (of: Space & { id: string }): string => `submitted/${chainName(of)}/${of.id}`

/** The upload URL, valid until `expires_at`. Each of `headers` must be sent unchanged. */
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

/** Whether the stored file is the announced one; undefined when there is none. Never holds the file in memory. */
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
    throw unavailable('The file storage does not answer. Try again.', error)
  }
}

/**
 * Whether the bucket still holds exactly the announced file. S3 computed the checksum itself when the object was stored, so
 * a replaced object has another checksum or none.
 */
export async function holdsAnnounced(of: Space & { id: string }, { sha256, size }: AnnouncedFile): Promise<boolean> {
  const { HeadObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const command = new HeadObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of), ChecksumMode: 'ENABLED' })
  try {
    const found = await s3().send(command)
    return found.ContentLength === size && found.ChecksumSHA256 === Buffer.from(sha256, 'hex').toString('base64')
  } catch (error) {
    if (isMissing(error)) return false
    throw unavailable('The file storage does not answer. Try again.', error)
  }
}

/** Without the right to list the bucket, S3 answers AccessDenied for a missing object. */
const isMissing = (error: unknown) =>
  error instanceof Error && ['NoSuchKey', 'NotFound', 'AccessDenied'].includes(error.name)

/** Removes the stored file. With the tag of a file that was read, a newer file stays. */
export async function removeUpload(of: Space & { id: string }, { etag }: Partial<Uploaded> = {}): Promise<void> {
  const { DeleteObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  const command = new DeleteObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of), IfMatch: etag })
  try {
    await s3().send(command)
  } catch (error) {
    const changed = error instanceof Error && error.name === 'PreconditionFailed'
    if (!changed) throw unavailable('The file storage does not answer. Try again.', error)
  }
}

export type Fetched = 'fetched' | 'missing' | 'changed'

/**
 * Fetches the file of submitted evidence from the bucket into a local file, without holding it in memory. Only a file with the
 * submitted hash, on which people decided, goes into an archive; one that was replaced in the bucket is `changed`.
 */
export async function fetchFile(of: Space & { id: string }, file: AnnouncedFile, path: string): Promise<Fetched> {
  const { GetObjectCommand, s3 } = await import('../../base/aws/s3.ts')
  try {
    const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key: keyOf(of) }))
    if (!Body) return 'missing'
    const digest = createHash('sha256')
    let size = 0
    const measure = async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        digest.update(piece)
        size += piece.length
        yield piece
      }
    }
    await pipeline(Readable.fromWeb(Body.transformToWebStream()), measure, createWriteStream(path))
    return size === file.size && digest.digest('hex') === file.sha256 ? 'fetched' : 'changed'
  } catch (error) {
    if (isMissing(error)) return 'missing'
    throw unavailable('The file storage does not answer. Try again.', error)
  }
}
