// Walks the chain as it is stored: blocks say which artifact stands where, artifact items repeat it. Both, and what
// follows from the artifact's own bytes, must agree.
import { sameBytes } from '../lib/hash.ts'
import type { StoredArtifact } from './artifact.ts'
import type { ChainWalk } from './chain-walk.ts'
import { type Block, blockNumber } from './chain.ts'
import { type Entry, unpackEntries } from './entries.ts'

/** Artifact items by artifact id. */
export type Stored = ReadonlyMap<string, StoredArtifact>

/** Follows one finalised block. `number` is the one the block should have; a higher one means that blocks are gone. */
export function followBlock(walk: ChainWalk, number: number, block: Block, stored: Stored): void {
  if (blockNumber(block) > number && block.first > walk.size) walk.skipTo(block.first, block.prev)
  if (block.first !== walk.size) walk.report(null, 'position')
  if (!sameBytes(block.prev, walk.link)) walk.report(null, 'link')
  const entries = readEntries(walk, block)
  for (const entry of entries) followEntry(walk, blockNumber(block), entry, stored.get(entry.artifact_id))
  if (entries.length !== block.count) walk.report(null, 'position')
  const last = walk.size - 1
  if (!sameBytes(block.last, walk.link)) walk.report(entries.at(-1)?.artifact_id ?? null, 'link', last)
  // A root follows from the links before it: after any finding it says nothing new.
  if (walk.findings.length === 0 && !walk.hasRoot(block.root_after)) walk.report(null, 'root', last)
}

function readEntries(walk: ChainWalk, block: Block): Entry[] {
  try {
    return unpackEntries(block.entries)
  } catch {
    walk.skipTo(block.first + block.count, block.last)
    return []
  }
}

function followEntry(walk: ChainWalk, block: number, entry: Entry, item: StoredArtifact | undefined): void {
  walk.follow({
    artifact_id: entry.artifact_id,
    header: item?.header,
    ah: entry.ah,
    ch: item?.ch,
    misplaced: item !== undefined && !standsAt(item, walk, block, entry),
  })
}

/** The item repeats its hash, position, block and the link before it. */
const standsAt = (item: StoredArtifact, walk: ChainWalk, block: number, entry: Entry): boolean =>
  sameBytes(item.ah, entry.ah) &&
  item.seq === walk.size &&
  item.blk === block &&
  item.ch !== undefined &&
  item.prev !== undefined &&
  sameBytes(item.prev, walk.link)

/** How many artifacts have something wrong with them. */
export const brokenLinks = (findings: ChainWalk['findings']): number =>
  new Set(findings.map(({ sequence }) => sequence)).size
