// Objects of the evidence bucket, which Object Lock keeps as they were first written. Whoever can write the table cannot
// change or remove them.
import { env } from '../../../base/lib/runtime.ts'
import { unavailable } from '../../../base/lib/failure.ts'

/** The last key with that prefix in the order of names, `after` a known one, which is the answer when none follows. */
export async function newestLocked(prefix: string, after?: string): Promise<string | undefined> {
  const { ListObjectsV2Command, s3 } = await import('../../../base/aws/s3.ts')
  for (let newest = after; ;) {
    const { Contents, IsTruncated } = await s3()
      .send(new ListObjectsV2Command({ Bucket: env('EVIDENCE_BUCKET'), Prefix: prefix, StartAfter: newest }))
      .catch(bucketFails)
    newest = Contents?.at(-1)?.Key ?? newest
    if (!IsTruncated) return newest
  }
}

/** `content` is undefined for what is no JSON; the whole is undefined for a key without an object. */
export async function readLocked(key: string): Promise<{ content: unknown; version: string | undefined } | undefined> {
  const { GetObjectCommand, s3 } = await import('../../../base/aws/s3.ts')
  try {
    const { Body, VersionId } = await s3().send(new GetObjectCommand({ Bucket: env('EVIDENCE_BUCKET'), Key: key }))
    return { content: jsonOf((await Body?.transformToString()) ?? ''), version: VersionId }
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined
    return bucketFails(error)
  }
}

/** `stored` is false when there is an object of that key already. */
export async function putLocked(
  key: string,
  content: object,
): Promise<{ stored: boolean; version?: string | undefined }> {
  const { PutObjectCommand, s3 } = await import('../../../base/aws/s3.ts')
  // Not every S3-compatible store supports If-None-Match, so check first as well.
  if (await readLocked(key)) return { stored: false }
  const [Bucket, Body] = [env('EVIDENCE_BUCKET'), JSON.stringify(content)]
  try {
    const { VersionId } = await s3().send(
      new PutObjectCommand({ Bucket, Key: key, Body, ContentType: 'application/json', IfNoneMatch: '*' }),
    )
    return { stored: true, version: VersionId }
  } catch (error) {
    if (error instanceof Error && error.name === 'PreconditionFailed') return { stored: false }
    return bucketFails(error)
  }
}

function bucketFails(cause: unknown): never {
  throw unavailable('The evidence bucket does not answer. Try again in a second.', cause)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
