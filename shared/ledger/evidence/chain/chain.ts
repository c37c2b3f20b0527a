// The items of one chain: genesis, head, blocks, checkpoints and the successors of its signing key. The head moves once per
// block, never once per artifact.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { entity, type Key, padded, spaceKey, spaceOf } from '../../../base/table/entity.ts'
import { ownMinute } from '../../../base/table/due.ts'
import { artifactIdOf, Bytes, ulidOf } from '../artifact/artifact.ts'
import { base32, fromBase32 } from '../../../base/lib/ids.ts'

const sameKey = ({ pk, sk }: Key): Key => ({ pk, sk })
const chainItem = { pk: z.string(), sk: z.string() }

export const chainKey = (space: Space): string => spaceKey(space, 'CHAIN')

export const geneses = entity({
  name: 'GENESIS',
  unbound: 'proven by itself',
  schema: z.object({
    ...chainItem,
    chain: z.string(),
    origin: z.string(),
    created_at: z.string(),
    key_spki_sha256: z.string(),
    /** The public key, so that its signatures stay verifiable after KMS has deleted the key. */
    spki: Bytes.optional(),
  }),
  key: sameKey,
})
export const genesisKey = (space: Space): Key => ({ pk: chainKey(space), sk: 'GENESIS' })

export const Head = z.object({
  ...chainItem,
  /** Number of artifacts with a position. */
  size: z.int(),
  /** The newest link; the genesis link while the chain is empty. */
  last: Bytes,
  frontier: z.array(Bytes),
  /** Blocks are numbered from 1; 0: there is none. */
  last_block: z.int(),
  /** The last block whose artifacts all have their position stored. */
  finalized: z.int(),
  first_at: z.string().optional(),
  last_at: z.string().optional(),
  counts: z.record(z.string(), z.int()),
})
export type Head = z.output<typeof Head>
/** All chains, and so all spaces, of the deployment are in one index partition, in the order of their own minutes of the hour. */
export const CHAINS = 'CHAINS'

/** The prefix of the index keys of all spaces whose own minute this is; `minute` counts from the epoch. */
export const minuteOfHour = (minute: number): string => `${padded(minute % 60, 2)}#`

const indexSort = (pk: string): string => {
  const space = spaceOf(pk)
  return `${minuteOfHour(space ? ownMinute(space) : 0)}${pk}`
}

export const heads = entity({
  name: 'HEAD',
  unbound: 'proven by itself',
  schema: Head,
  key: sameKey,
  index: ({ pk }) => ({ gsi2pk: CHAINS, gsi2sk: indexSort(pk) }),
})
export const headKey = (space: Space): Key => ({ pk: chainKey(space), sk: 'HEAD' })

/** One batch of consecutive positions. It is written before any artifact is updated, so a crash can be repaired from it. */
export const Block = z.object({
  ...chainItem,
  /** Position of its first artifact. */
  first: z.int(),
  count: z.int(),
  prev: Bytes,
  last: Bytes,
  root_after: Bytes,
  entries: Bytes,
})
export type Block = z.output<typeof Block>
export const blocks = entity({ name: 'BLOCK', unbound: 'proven by itself', schema: Block, key: sameKey })

export const BLOCK_PREFIX = 'B#'
export const blockKey = (space: Space, number: number): Key => ({
  pk: chainKey(space),
  sk: `${BLOCK_PREFIX}${padded(number)}`,
})
export const blockNumber = ({ sk }: { sk: string }): number => Number(sk.slice(BLOCK_PREFIX.length))

/** Maximum of artifacts in one block: 49 KB of entries. */
export const BLOCK_MAX = 1_000

/** A copy of a checkpoint object of the evidence bucket, so that readers do not have to read the bucket. */
export const Checkpoint = z.object({
  ...chainItem,
  size: z.int(),
  /** The last block that it covers. */
  block: z.int(),
  note: z.string(),
  root: Bytes,
  key_arn: z.string(),
  object_key: z.string(),
  object_version: z.string().optional(),
  at: z.string(),
})
export type Checkpoint = z.output<typeof Checkpoint>
export const checkpoints = entity({ name: 'CHECKPOINT', unbound: 'proven by itself', schema: Checkpoint, key: sameKey })

export const CHECKPOINT_PREFIX = 'C#'
export const checkpointKey = (space: Space, size: number): Key => ({
  pk: chainKey(space),
  sk: `${CHECKPOINT_PREFIX}${padded(size, 16)}`,
})

/** A signing key after the first one. It signs checkpoints of more than `from_size` artifacts. */
export const successors = entity({
  name: 'SIGNER',
  unbound: 'proven by itself',
  schema: z.object({
    ...chainItem,
    from_size: z.int(),
    spki: Bytes,
    /** The note about the change, signed by this key and the one before it. */
    succession: z.string(),
  }),
  key: sameKey,
})

export const SUCCESSOR_PREFIX = 'K#'
/** `after`: the size from which the previous key is valid, so each key has at most one successor. */
export const successorKey = (space: Space, after: number): Key => ({
  pk: chainKey(space),
  sk: `${SUCCESSOR_PREFIX}${padded(after, 16)}`,
})

export const Finding = z.object({
  sequence: z.int().describe('Position in the chain, from 0.'),
  artifact_id: z.string().nullable().describe('Id of the artifact.'),
  reason: z
    .enum(['content', 'link', 'position', 'duplicate', 'missing', 'root', 'signature'])
    .describe('The kind of defect at this position.'),
})
export type Finding = z.output<typeof Finding>

/** One artifact in the packed entries of a block: 49 bytes, so a block of 1,000 fits into one item. */
export type Entry = { artifact_id: string; shard: number; ah: Uint8Array }

const ULID_BYTES = 16
const ENTRY_BYTES = ULID_BYTES + 1 + 32

/** 16 bytes ULID, 1 byte shard, 32 bytes artifact hash, for each artifact in order. */
export const packEntries = (entries: readonly Entry[]): Uint8Array =>
  Buffer.concat(
    entries.flatMap(({ artifact_id, shard, ah }) => [fromBase32(ulidOf(artifact_id)), Buffer.of(shard), ah]),
  )

/** Throws when the bytes are no whole number of entries. */
export function unpackEntries(packed: Uint8Array): Entry[] {
  if (packed.length % ENTRY_BYTES !== 0) throw new Error('the entries of the block are cut')
  const bytes = Buffer.from(packed)
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, index) => {
    const entry = bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)
    return {
      artifact_id: artifactIdOf(base32(entry.subarray(0, ULID_BYTES))),
      shard: entry.readUInt8(ULID_BYTES),
      ah: entry.subarray(ULID_BYTES + 1),
    }
  })
}
