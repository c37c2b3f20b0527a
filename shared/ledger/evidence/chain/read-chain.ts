// Reads the stored chain for a walk: its starting points (genesis and checkpoints), then blocks and artifacts in large pieces.
import type { Context, Space } from '../../../base/context.ts'
import { env } from '../../../base/lib/runtime.ts'
import {
  type Block,
  blockKey,
  blockNumber,
  blocks,
  chainKey,
  type Checkpoint,
  CHECKPOINT_PREFIX,
  checkpoints,
  geneses,
  genesisKey,
  unpackEntries,
} from './chain.ts'
import type { Frontier } from './merkle.ts'
import {
  artifactIdOf,
  artifactKey,
  artifacts,
  readable,
  shardKey,
  SHARDS,
  type StoredArtifact,
  ulidOf,
} from '../artifact/artifact.ts'
import { chainName, type Genesis, genesisLink } from '../artifact/hashes.ts'

/** With the first signing key, if it was stored. */
export type StoredGenesis = Genesis & { spki?: Uint8Array | undefined }

/** The genesis. A missing one is replaced by an empty one, which no chain can follow from. */
export async function readGenesis(ctx: Context): Promise<StoredGenesis> {
  const found = await ctx.table.get(readable(geneses), genesisKey(ctx.space))
  const chain = chainName(ctx.space)
  return found ?? { chain, origin: env('EVIDENCE_ORIGIN'), created_at: '', key_spki_sha256: '' }
}

export const checkpointName = (genesis: Genesis, space: Space): string => `${genesis.origin}/${chainName(space)}`

/** Checkpoints in the table, newest first. */
export async function newestCheckpoints(ctx: Context, limit: number): Promise<Checkpoint[]> {
  const range = { pk: chainKey(ctx.space), prefix: CHECKPOINT_PREFIX, descending: true, limit }
  return (await ctx.table.query(readable(checkpoints), range)).filter((item) => item !== undefined)
}

/** The start of a walk: the number of artifacts before it, their last link (or the genesis link) and their frontier. */
export type ChainState = { size: number; link: Uint8Array; frontier: Frontier }

/** The start of a walk: after the block of that number (0: at the genesis). */
export type WalkStart = ChainState & { block: number }

export const genesisStart = (genesis: Genesis): WalkStart => ({
  size: 0,
  link: genesisLink(genesis),
  frontier: [],
  block: 0,
})

const BLOCKS_PER_READ = 100

/** Blocks after one number up to another, until they hold `count` artifacts (at least one block). */
export async function readBlocks(
  ctx: Context,
  after: number,
  last: number,
  count: number,
): Promise<{ taken: Block[]; complete: boolean }> {
  const taken: Block[] = []
  const { pk, sk: to } = blockKey(ctx.space, last)
  let from = after
  let held = 0
  while (from < last) {
    const page = await ctx.table.query(readable(blocks), {
      pk,
      after: blockKey(ctx.space, from).sk,
      to,
      limit: BLOCKS_PER_READ,
    })
    for (const block of page.filter((found) => found !== undefined)) {
      held += block.count
      if (held > count && taken.length > 0) return { taken, complete: false }
      taken.push(block)
      from = blockNumber(block)
    }
    if (page.length < BLOCKS_PER_READ) break
  }
  return { taken, complete: true }
}

/** The ULID of the last artifact of a block. Later blocks hold later ones, except for clock skew. */
export const lastUlid = (block: Block | undefined): string => (block ? (ulidsOf(block).at(-1) ?? '') : '')

/** A range of ULIDs in the shards; undefined means unbounded. */
type UlidRange = { from: string | undefined; to: string | undefined }

/**
 * All artifact items of the range, listed or not, and the listed items of the blocks outside of it. Artifacts are read by
 * ranges of the shards and not by the lists in blocks, which is four times cheaper and also finds items that no block lists.
 */
export async function readArtifacts(ctx: Context, run: readonly Block[], { from, to }: UlidRange) {
  const inside = (ulid: string) => ulid >= (from ?? '') && (to === undefined || ulid <= to)
  const outside = run.flatMap(ulidsOf).filter((ulid) => !inside(ulid))
  const keys = [...new Set(outside)].map((ulid) => artifactKey(ctx.space, artifactIdOf(ulid)))
  const shards = Array.from({ length: SHARDS }, (_, shard) =>
    ctx.table.query(readable(artifacts), { pk: shardKey(ctx.space, shard), from, to }),
  )
  const found = await Promise.all([ctx.table.read(readable(artifacts), keys), ...shards])
  const items = found.flat().filter((item) => item !== undefined)
  return new Map<string, StoredArtifact>(items.map((item) => [artifactIdOf(item.sk), item]))
}

/** Empty when the entries are incomplete. */
function ulidsOf(block: Block): string[] {
  try {
    return unpackEntries(block.entries).map(({ artifact_id }) => ulidOf(artifact_id))
  } catch {
    return []
  }
}
