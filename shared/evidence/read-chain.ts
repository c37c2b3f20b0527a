// Reads a chain as it is stored and walks it. Shared by those who sign it and those who verify it, so that whatever is
// signed has been verified.
import type { Context, Space } from '../context.ts'
import { env } from '../lib/env.ts'
import { sameBytes } from '../lib/hash.ts'
import { inParallel } from '../lib/in-parallel.ts'
import type { Readable } from '../table/table.ts'
import { artifactIdOf, artifactKey, artifacts, type StoredArtifact } from './artifact.ts'
import { ChainWalk, type ChainState } from './chain-walk.ts'
import {
  type Block,
  blockKey,
  blockNumber,
  blocks,
  chainKey,
  geneses,
  genesisKey,
  type Head,
  checkpoints,
  CHECKPOINT_PREFIX,
} from './chain.ts'
import { unpackEntries } from './entries.ts'
import { chainName, type Genesis, genesisLink } from './hashes.ts'
import { followBlock } from './stored-walk.ts'

/** At most this many artifacts are walked in one go. */
export const WALK_MAX = 20_000

const KEYS_PER_READ = 100
const READS_AT_ONCE = 8
const BLOCKS_PER_READ = 100

/** What the first link commits to. A genesis that is gone is one that nothing follows from. */
export async function readGenesis(ctx: Context): Promise<Genesis> {
  const found = await ctx.table.get(geneses, genesisKey(ctx.space))
  const chain = chainName(ctx.space)
  return found ?? { chain, origin: env('EVIDENCE_ORIGIN'), created_at: '', key_spki_sha256: '' }
}

export const checkpointName = (genesis: Genesis, space: Space): string => `${genesis.origin}/${chainName(space)}`

/** Checkpoints that the table knows, newest first. */
export const newestCheckpoints = (ctx: Context, limit: number) =>
  ctx.table.query(checkpoints, { pk: chainKey(ctx.space), prefix: CHECKPOINT_PREFIX, descending: true, limit })

/** Where a walk begins: behind a block of that number (0: at the genesis). */
export type WalkStart = ChainState & { block: number }

export const genesisStart = (genesis: Genesis): WalkStart => ({
  size: 0,
  link: genesisLink(genesis),
  frontier: [],
  block: 0,
})

/** What a walk must arrive at. */
export type HeadState = Pick<Head, 'size' | 'last' | 'last_block' | 'finalized'>

export type Walked = {
  walk: ChainWalk
  /** The last block walked. */
  block: number
  /** False when blocks were left for another run. */
  complete: boolean
  stored: ReadonlyMap<string, StoredArtifact>
}

/**
 * Walks from `start` to the last finalised block, at most WALK_MAX artifacts. `each` sees the walk after every block.
 */
export async function walkStored(
  ctx: Context,
  start: WalkStart,
  head: HeadState,
  each: (walk: ChainWalk) => void = () => undefined,
): Promise<Walked> {
  const walk = new ChainWalk(chainName(ctx.space), start)
  const { taken, complete } = await readBlocks(ctx, start.block, head.finalized)
  const stored = await readArtifacts(ctx, taken)
  let number = start.block
  for (const block of taken) {
    followBlock(walk, number + 1, block, stored)
    number = blockNumber(block)
    each(walk)
  }
  if (complete && head.finalized === head.last_block) compareHead(walk, head, number)
  return { walk, block: number, complete, stored }
}

/** Blocks after one number up to another, until they hold WALK_MAX artifacts. */
async function readBlocks(ctx: Context, after: number, last: number): Promise<{ taken: Block[]; complete: boolean }> {
  const taken: Block[] = []
  const { pk, sk: to } = blockKey(ctx.space, last)
  let from = after
  let count = 0
  while (from < last) {
    const page = await ctx.table.query(readable(blocks), {
      pk,
      after: blockKey(ctx.space, from).sk,
      to,
      limit: BLOCKS_PER_READ,
    })
    for (const block of page.filter((found) => found !== undefined)) {
      count += block.count
      if (count > WALK_MAX && taken.length > 0) return { taken, complete: false }
      taken.push(block)
      from = blockNumber(block)
    }
    if (page.length < BLOCKS_PER_READ) break
  }
  return { taken, complete: true }
}

async function readArtifacts(ctx: Context, run: Block[]): Promise<Map<string, StoredArtifact>> {
  const ids = run.flatMap(idsOf)
  const chunks = Array.from({ length: Math.ceil(ids.length / KEYS_PER_READ) }, (_, index) =>
    ids.slice(index * KEYS_PER_READ, (index + 1) * KEYS_PER_READ),
  )
  const found = await inParallel(READS_AT_ONCE, chunks, (chunk) =>
    ctx.table.read(
      readable(artifacts),
      chunk.map((id) => artifactKey(ctx.space, id)),
    ),
  )
  const items = found.flat().filter((item) => item !== undefined)
  return new Map(items.map((item) => [artifactIdOf(item.sk), item]))
}

/** An item that no longer has its shape is as good as gone: that is a finding, not a fault of ours. */
const readable = <T, K>({ key, decode }: Readable<T, K>): Readable<T | undefined, K> => ({
  key,
  decode: (attributes) => {
    try {
      return decode(attributes)
    } catch {
      return undefined
    }
  },
})

const idsOf = (block: Block): string[] => {
  try {
    return [...new Set(unpackEntries(block.entries).map(({ artifact_id }) => artifact_id))]
  } catch {
    return [] // followBlock reports it
  }
}

/** The head must be where the blocks lead to. */
function compareHead(walk: ChainWalk, head: HeadState, number: number): void {
  if (number < head.last_block && walk.size < head.size) walk.skipTo(head.size, head.last)
  if (walk.size !== head.size) walk.report(null, 'position')
  else if (!sameBytes(walk.link, head.last)) walk.report(null, 'link', Math.max(0, walk.size - 1))
}
