// Reads the stored chain and walks it. Signing and verification use the same walk, so everything that is signed has been
// verified. Blocks list the position of each artifact and artifact items repeat it. Both must agree with each other and with
// the hash of the artifact's bytes.
import type { Context } from '../../../base/context.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { artifactIdOf, readable, type StoredArtifact } from '../artifact/artifact.ts'
import { type Block, blockKey, blockNumber, blocks, type Entry, type Head, unpackEntries } from '../chain/chain.ts'
import { ChainWalk } from './chain-walk.ts'
import { chainName, link } from '../artifact/hashes.ts'
import { placed } from '../chain/row-evidence.ts'
import { lastUlid, readArtifacts, readBlocks, type WalkStart } from '../chain/read-chain.ts'

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

/** Artifact items by artifact id. */
type StoredArtifacts = ReadonlyMap<string, StoredArtifact>

/**
 * Checks one finalised block and returns the ids that it lists. `number` is the expected block number; a higher one means
 * that blocks are missing.
 */
export function followBlock(walk: ChainWalk, number: number, block: Block, stored: StoredArtifacts): string[] {
  if (blockNumber(block) > number && block.first > walk.size) walk.skipTo(block.first, block.prev)
  if (block.first !== walk.size) walk.report(null, 'position')
  if (!sameBytes(block.prev, walk.link)) {
    walk.report(null, 'link')
    walk.resume(block.prev)
  }
  const entries = readEntries(block)
  if (!entries) {
    walk.skipTo(block.first + block.count, block.last)
    return []
  }
  const links = soundLinks(walk, block, entries)
  for (const [index, entry] of entries.entries()) {
    followEntry(walk, { block: blockNumber(block), entry, link: links?.[index] }, stored.get(entry.artifact_id))
  }
  if (entries.length !== block.count) walk.report(null, 'position')
  const last = walk.size - 1
  if (!sameBytes(block.last, walk.link)) walk.report(entries.at(-1)?.artifact_id ?? null, 'link', last)
  // A root depends on all links before it, so after any finding its check adds nothing.
  if (walk.findings.length === 0 && !walk.hasRoot(block.root_after)) walk.report(null, 'root', last)
  return entries.map(({ artifact_id }) => artifact_id)
}

function readEntries(block: Block): Entry[] | undefined {
  try {
    return unpackEntries(block.entries)
  } catch {
    return undefined
  }
}

/** The links of a consistent block, whose entries lead from its first link to its last; else undefined. */
function soundLinks(walk: ChainWalk, block: Block, entries: readonly Entry[]): Uint8Array[] | undefined {
  const links: Uint8Array[] = []
  for (const { ah } of entries) links.push(link(walk.chain, walk.size + links.length, links.at(-1) ?? walk.link, ah))
  return sameBytes(links.at(-1) ?? walk.link, block.last) ? links : undefined
}

/** `link`: the computed link of a consistent block. Without it the link of the item is used. */
type Place = { block: number; entry: Entry; link: Uint8Array | undefined }

function followEntry(walk: ChainWalk, place: Place, item: StoredArtifact | undefined): void {
  walk.follow({
    artifact_id: place.entry.artifact_id,
    header: item?.header,
    ah: place.entry.ah,
    ch: place.link ?? item?.ch,
    follows: place.link !== undefined,
    misplaced: item !== undefined && !standsAt(walk, place, item),
  })
}

/** Whether the item agrees with hash, position, block and links. */
function standsAt(walk: ChainWalk, place: Place, { ah, seq, blk, prev, ch }: StoredArtifact): boolean {
  if (!sameBytes(ah, place.entry.ah) || seq !== walk.size || blk !== place.block || !prev || !ch) return false
  return sameBytes(prev, walk.link) && sameBytes(ch, place.link ?? ch)
}

/** Number of artifacts with a finding. */
export const brokenLinks = (findings: ChainWalk['findings']): number =>
  new Set(findings.filter(({ reason }) => reason !== 'signature').map(({ sequence }) => sequence)).size
