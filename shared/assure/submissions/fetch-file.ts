// Fetches the file of submitted evidence from the bucket into a local file. What goes into an archive has the hash that was
// submitted, and so decided on; a file that was replaced in the bucket does not.
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import type { Space } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { unavailable } from '../../base/lib/failure.ts'
import type { AnnouncedFile } from './submission.ts'
import { isMissing, keyOf } from './upload.ts'

export type Fetched = 'fetched' | 'missing' | 'changed'

/** Never holds the file in memory. */
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
