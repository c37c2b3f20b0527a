// Reads the stored chain and walks it. Signing and verification use the same walk, so everything that is signed has been
// verified.
import type { Context } from '../../../base/context.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { artifactIdOf } from '../artifact/artifact.ts'
import { blockKey, blockNumber, blocks, type Head } from '../chain/chain.ts'
import { ChainWalk } from './chain-walk.ts'
import { chainName } from '../artifact/hashes.ts'
import { placed } from '../chain/row-evidence.ts'
import { lastUlid, readArtifacts, readBlocks, type WalkStart } from '../chain/read-chain.ts'
import { readable } from '../artifact/readable.ts'
import { followBlock, type StoredArtifacts } from './follow-block.ts'

/** Maximum of artifacts per walk. */
export const WALK_MAX = 20_000

/** The expected end of a walk. */
export type HeadState = Pick<Head, 'size' | 'last' | 'last_block' | 'finalized'>

export type Walked = {
  walk: ChainWalk
  /** The last block walked. */
  block: number
  /** False when blocks are left for another run. */
  complete: boolean
}

type Each = (walk: ChainWalk) => void

/** Walks from `start` to the last finalised block, at most WALK_MAX artifacts. `each` is called after every block. */
export async function walkToHead(ctx: Context, start: WalkStart, head: HeadState, each?: Each): Promise<Walked> {
  const walk = new ChainWalk(chainName(ctx.space), start)
  const walked = await walkOn(ctx, walk, { after: start.block, last: head.finalized, open: true }, each)
  if (walked.complete && head.finalized === head.last_block) compareHead(walk, head, walked.block)
  return walked
}

/** Walks from one checkpoint to another, with any number of artifacts. */
export async function walkBetween(ctx: Context, start: WalkStart, last: number, each?: Each): Promise<ChainWalk> {
  const walk = new ChainWalk(chainName(ctx.space), start)
  for (let after = start.block, complete = false; !complete;) {
    ;({ block: after, complete } = await walkOn(ctx, walk, { after, last, open: false }, each))
  }
  return walk
}

/** Blocks after one number up to another. `open`: the last piece, so all later items of the shards belong to it. */
type Piece = { after: number; last: number; open: boolean }

async function walkOn(ctx: Context, walk: ChainWalk, { after, last, open }: Piece, each?: Each): Promise<Walked> {
  const [before, { taken, complete }] = await Promise.all([
    after === 0 ? undefined : ctx.table.get(readable(blocks), blockKey(ctx.space, after)),
    readBlocks(ctx, after, last, WALK_MAX),
  ])
  const to = open && complete ? undefined : lastUlid(taken.at(-1))
  const stored = await readArtifacts(ctx, taken, { from: lastUlid(before) || undefined, to })
  const known = new Set<string>()
  let number = after
  for (const block of taken) {
    for (const id of followBlock(walk, number + 1, block, stored)) known.add(id)
    number = blockNumber(block)
    each?.(walk)
  }
  await reportUnlisted(ctx, walk, stored, known)
  return { walk, block: number, complete }
}

/** Reports artifacts that claim a position without being listed in a block. */
async function reportUnlisted(
  ctx: Context,
  walk: ChainWalk,
  stored: StoredArtifacts,
  known: ReadonlySet<string>,
): Promise<void> {
  const claiming = [...stored.values()].filter(({ sk, seq }) => seq !== undefined && !known.has(artifactIdOf(sk)))
  const elsewhere = await placed(ctx, claiming)
  for (const item of claiming) if (!elsewhere.has(item)) walk.report(artifactIdOf(item.sk), 'position', item.seq)
}

/** Reports a head that differs from the end of the blocks. */
function compareHead(walk: ChainWalk, head: HeadState, number: number): void {
  if (number < head.last_block && walk.size < head.size) walk.skipTo(head.size, head.last)
  if (walk.size !== head.size) walk.report(null, 'position')
  else if (!sameBytes(walk.link, head.last)) walk.report(null, 'link', Math.max(0, walk.size - 1))
}
