// Reads a chain as it is stored and walks it. Shared by those who sign it and those who verify it, so that whatever is
// signed has been verified.
import type { Context } from '../context.ts'
import { sameBytes } from '../lib/hash.ts'
import { inParallel } from '../lib/in-parallel.ts'
import { artifactIdOf, artifactKey, artifacts, type StoredArtifact } from './artifact.ts'
import { type Block, blockKey, blockNumber, blocks, type Head } from './chain.ts'
import type { WalkStart } from './read-chain.ts'
import { ChainWalk } from './chain-walk.ts'
import { unpackEntries } from './entries.ts'
import { chainName } from './hashes.ts'
import { readable } from './readable.ts'
import { followBlock } from './stored-walk.ts'

/** At most this many artifacts are walked in one go. */
export const WALK_MAX = 20_000

const KEYS_PER_READ = 100
const READS_AT_ONCE = 8
const BLOCKS_PER_READ = 100

/** What a walk must arrive at. */
export type HeadState = Pick<Head, 'size' | 'last' | 'last_block' | 'finalized'>

export type Walked = {
  walk: ChainWalk
  /** The last block walked. */
  block: number
  /** False when blocks were left for another run. */
  complete: boolean
}

/** Walks from `start` to the last finalised block, at most WALK_MAX artifacts. `each` sees the walk after every block. */
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
  return { walk, block: number, complete }
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
