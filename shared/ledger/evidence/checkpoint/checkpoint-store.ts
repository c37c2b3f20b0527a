// Checkpoints in the evidence bucket, protected by Object Lock. Checkpoints in the table are only a hint; the newest object
// with a valid signature is authoritative.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { padded } from '../../../base/table/entity.ts'
import { chainName, hex } from '../artifact/hashes.ts'
import { newestLocked, putLocked, readLocked } from './locked-objects.ts'
import { rootOf } from '../chain/merkle.ts'
import { openNote, parseCheckpoint } from './note.ts'
import type { Signers } from './signers.ts'
import { sameBytes } from '../../../base/lib/json.ts'

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
