// Objects of the evidence bucket, above all checkpoints. Object Lock keeps each as it was first written, so somebody who can
// write to the table cannot change or remove them. Checkpoints in the table are only a hint; the newest object with a valid
// signature is authoritative.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { padded } from '../../../base/table/entity.ts'
import { chainName, hex } from '../artifact/hashes.ts'
import { rootOf } from '../chain/merkle.ts'
import { openNote, parseCheckpoint } from './note.ts'
import type { Signers } from './signers.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { env } from '../../../base/lib/runtime.ts'
import { unavailable } from '../../../base/lib/failure.ts'

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .transform((text) => Buffer.from(text, 'hex'))

const CheckpointObject = z.object({
  note: z.string(),
  frontier: z.array(Hash),
  link: Hash,
  /** Size of the previous checkpoint. */
  from: z.int(),
  /** Number of the last block that it covers. */
  block: z.int(),
  signed_at: z.string(),
})

/** A signed prefix of a chain, with everything needed to continue from its end. */
export type Anchor = z.output<typeof CheckpointObject> & {
  size: number
  root: Uint8Array
  object_key: string
  object_version?: string | undefined
}

const prefixOf = (space: Space) => `checkpoints/${chainName(space)}/`
export const objectKey = (space: Space, size: number): string => `${prefixOf(space)}${padded(size, 16)}.json`

/**
 * Finds the newest checkpoint, starting at a size that is known to have one. `newest` without `anchor`: the checkpoint is
 * missing or not valid.
 */
export async function findAnchor(space: Space, signers: Signers, known: number | undefined) {
  const newest = await newestLocked(prefixOf(space), known === undefined ? undefined : objectKey(space, known))
  return { newest, anchor: newest === undefined ? undefined : await readAnchor(newest, signers) }
}

/** The checkpoint under that key; undefined when it is missing, malformed, of another chain or not signed by us. */
export async function readAnchor(object_key: string, signers: Signers): Promise<Anchor | undefined> {
  const found = await readLocked(object_key)
  const parsed = CheckpointObject.safeParse(found?.content)
  if (!found || !parsed.success) return undefined
  const text = openNote(parsed.data.note, signers.keys)
  const signed = text === undefined ? undefined : parseCheckpoint(text)
  const named = object_key.endsWith(`/${padded(signed?.size ?? -1, 16)}.json`)
  if (!signed || !named || signed.origin !== signers.name) return undefined
  if (!sameBytes(rootOf(parsed.data.frontier), signed.root)) return undefined
  return { ...parsed.data, size: signed.size, root: signed.root, object_key, object_version: found.version }
}

/** Stores a checkpoint; false when there is one of this size already. */
export function putAnchor(anchor: Omit<Anchor, 'root'>): Promise<{ stored: boolean; version?: string | undefined }> {
  const { object_key, note, frontier, link, from, block, signed_at } = anchor
  const content = { note, frontier: frontier.map(hex), link: hex(link), from, block, signed_at }
  return putLocked(object_key, content)
}

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

/** Undefined for a key without an object. `content` is undefined for text that is not JSON. */
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
