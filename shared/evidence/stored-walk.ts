// Walks the chain as it is stored: blocks say which artifact stands where, artifact items repeat it. Both, and what
// follows from the artifact's own bytes, must agree.
import { sameBytes } from '../lib/hash.ts'
import type { StoredArtifact } from './artifact.ts'
import type { ChainWalk } from './chain-walk.ts'
import { type Block, blockNumber } from './chain.ts'
import { type Entry, unpackEntries } from './entries.ts'
import { link } from './hashes.ts'

/** Artifact items by artifact id. */
export type Stored = ReadonlyMap<string, StoredArtifact>

/** Follows one finalised block. `number` is the one the block should have; a higher one means that blocks are gone. */
export function followBlock(walk: ChainWalk, number: number, block: Block, stored: Stored): void {
  if (blockNumber(block) > number && block.first > walk.size) walk.skipTo(block.first, block.prev)
  if (block.first !== walk.size) walk.report(null, 'position')
  if (!sameBytes(block.prev, walk.link)) {
    walk.report(null, 'link')
    walk.resume(block.prev)
  }
  const entries = readEntries(block)
  if (!entries) return walk.skipTo(block.first + block.count, block.last)
  const sound = leadsTo(walk, block, entries)
  for (const entry of entries)
    followEntry(walk, { block: blockNumber(block), sound, entry }, stored.get(entry.artifact_id))
  if (entries.length !== block.count) walk.report(null, 'position')
  const last = walk.size - 1
  if (!sameBytes(block.last, walk.link)) walk.report(entries.at(-1)?.artifact_id ?? null, 'link', last)
  // A root follows from the links before it: after any finding it says nothing new.
  if (walk.findings.length === 0 && !walk.hasRoot(block.root_after)) walk.report(null, 'root', last)
}

function readEntries(block: Block): Entry[] | undefined {
  try {
    return unpackEntries(block.entries)
  } catch {
    return undefined
  }
}

/** Whether the block agrees with itself: its entries lead from its first link to its last. */
function leadsTo(walk: ChainWalk, block: Block, entries: readonly Entry[]): boolean {
  const end = entries.reduce<Uint8Array>((at, { ah }, index) => link(walk.chain, walk.size + index, at, ah), walk.link)
  return sameBytes(end, block.last)
}

type Place = { block: number; sound: boolean; entry: Entry }

function followEntry(walk: ChainWalk, place: Place, item: StoredArtifact | undefined): void {
  const { sound, entry } = place
  walk.follow({
    artifact_id: entry.artifact_id,
    header: item?.header,
    ah: entry.ah,
    // The links of a sound block follow from the block itself; otherwise the items say where the chain went on.
    ch: sound ? undefined : item?.ch,
    misplaced: item !== undefined && !standsAt(walk, place, item),
  })
}

/** The item repeats its hash, its position, its block and the links on both sides. */
function standsAt(
  walk: ChainWalk,
  { block, sound, entry }: Place,
  { ah, seq, blk, prev, ch }: StoredArtifact,
): boolean {
  if (!sameBytes(ah, entry.ah) || seq !== walk.size || blk !== block || !prev || !ch) return false
  return sameBytes(prev, walk.link) && (!sound || sameBytes(ch, link(walk.chain, walk.size, walk.link, entry.ah)))
}

/** How many artifacts have something wrong with them. */
export const brokenLinks = (findings: ChainWalk['findings']): number =>
  new Set(findings.map(({ sequence }) => sequence)).size
