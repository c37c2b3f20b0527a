// Stores finished local files in the bucket of files, fetches and removes them.
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { env } from '../lib/runtime.ts'

/** The first part of every name in the bucket; tenant and mode follow. What is not named here is not counted as stored. */
export const FILE_KINDS = ['connectors', 'datasets', 'exports', 'models', 'submitted'] as const

/** Enough time for the largest file. Other calls of the SDK have one second. */
const UPLOAD_TIMEOUT_MS = 600_000

export type LocalFile = { path: string; sha256: string; size_bytes: number; type: string }

/** S3 refuses a file that does not have the given hash. */
export async function storeFile(Key: string, { path, sha256, size_bytes, type }: LocalFile): Promise<void> {
  const { PutObjectCommand, s3 } = await import('./s3.ts')
  const command = new PutObjectCommand({
    Bucket: env('FILES_BUCKET'),
    Key,
    Body: createReadStream(path),
    ContentLength: size_bytes,
    ContentType: type,
    ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
  })
  await s3().send(command, { requestTimeout: UPLOAD_TIMEOUT_MS })
}

/** Fetches a file that was stored. */
export async function fetchMade(Key: string, path: string): Promise<void> {
  const { GetObjectCommand, s3 } = await import('./s3.ts')
  const { Body } = await s3().send(new GetObjectCommand({ Bucket: env('FILES_BUCKET'), Key }))
  if (!Body) throw new Error(`${Key} is empty`)
  await pipeline(Readable.fromWeb(Body.transformToWebStream()), createWriteStream(path))
}

export async function removeFile(Key: string): Promise<void> {
  const { DeleteObjectCommand, s3 } = await import('./s3.ts')
  await s3().send(new DeleteObjectCommand({ Bucket: env('FILES_BUCKET'), Key }))
}
