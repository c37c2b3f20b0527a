// The items of one chain: genesis, head, blocks and checkpoints. The head moves once per block, never once per artifact.
import * as z from 'zod'
import type { Space } from '../../../base/context.ts'
import { entity, type Key, padded, spaceKey } from '../../../base/table/entity.ts'
import { Bytes } from '../artifact/artifact.ts'

const sameKey = ({ pk, sk }: Key): Key => ({ pk, sk })
const chainItem = { pk: z.string(), sk: z.string() }

export const chainKey = (space: Space): string => spaceKey(space, 'CHAIN')

export const geneses = entity({
  name: 'GENESIS',
  schema: z.object({
    ...chainItem,
    chain: z.string(),
    origin: z.string(),
    created_at: z.string(),
    key_spki_sha256: z.string(),
    /** The key itself, so that what it signed stays verifiable when KMS no longer has it. */
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
  /** The last block whose artifacts have all been told their position. */
  finalized: z.int(),
  first_at: z.string().optional(),
  last_at: z.string().optional(),
  counts: z.record(z.string(), z.int()),
})
export type Head = z.output<typeof Head>
/** All chains of the deployment stand in one index partition, so that the sweeper finds those whose doorbell was lost. */
export const CHAINS = 'CHAINS'
export const heads = entity({
  name: 'HEAD',
  schema: Head,
  key: sameKey,
  index: ({ pk }) => ({ gsi2pk: CHAINS, gsi2sk: pk }),
})
export const headKey = (space: Space): Key => ({ pk: chainKey(space), sk: 'HEAD' })

/** One batch of consecutive positions, written before any artifact is touched: the log from which a crash is mended. */
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
export const blocks = entity({ name: 'BLOCK', schema: Block, key: sameKey })

export const BLOCK_PREFIX = 'B#'
export const blockKey = (space: Space, number: number): Key => ({
  pk: chainKey(space),
  sk: `${BLOCK_PREFIX}${padded(number)}`,
})
export const blockNumber = ({ sk }: { sk: string }): number => Number(sk.slice(BLOCK_PREFIX.length))

/** At most this many artifacts get their position in one transaction: 49 KB of entries. */
export const BLOCK_MAX = 1_000

/** The newest checkpoints are also the objects of the evidence bucket; this item spares reading the bucket. */
export const Checkpoint = z.object({
  ...chainItem,
  size: z.int(),
  /** The last block under it. */
  block: z.int(),
  note: z.string(),
  root: Bytes,
  key_arn: z.string(),
  object_key: z.string(),
  object_version: z.string().optional(),
  at: z.string(),
})
export type Checkpoint = z.output<typeof Checkpoint>
export const checkpoints = entity({ name: 'CHECKPOINT', schema: Checkpoint, key: sameKey })

export const CHECKPOINT_PREFIX = 'C#'
export const checkpointKey = (space: Space, size: number): Key => ({
  pk: chainKey(space),
  sk: `${CHECKPOINT_PREFIX}${padded(size, 16)}`,
})

/** A key that follows upon the one of the genesis. It signs checkpoints of more than `from_size` artifacts. */
export const successors = entity({
  name: 'SIGNER',
  schema: z.object({
    ...chainItem,
    from_size: z.int(),
    spki: Bytes,
    /** The signed note by which this key and the one before it say so. */
    succession: z.string(),
  }),
  key: sameKey,
})

export const SUCCESSOR_PREFIX = 'K#'
/** `after`: the size from which the key before it counts, so that each key has one successor. */
export const successorKey = (space: Space, after: number): Key => ({
  pk: chainKey(space),
  sk: `${SUCCESSOR_PREFIX}${padded(after, 16)}`,
})

export const Finding = z.object({
  sequence: z.int(),
  artifact_id: z.string().nullable(),
  reason: z.enum(['content', 'link', 'position', 'duplicate', 'missing', 'root', 'signature']),
})
export type Finding = z.output<typeof Finding>
