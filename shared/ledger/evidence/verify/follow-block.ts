// Walks the stored chain. Blocks list the position of each artifact and artifact items repeat it. Both must agree with each
// other and with the hash of the artifact's bytes.
import { sameBytes } from '../../../base/lib/json.ts'
import type { StoredArtifact } from '../artifact/artifact.ts'
import type { ChainWalk } from './chain-walk.ts'
import { type Block, blockNumber, type Entry, unpackEntries } from '../chain/chain.ts'
import { link } from '../artifact/hashes.ts'

/** Artifact items by artifact id. */
export type StoredArtifacts = ReadonlyMap<string, StoredArtifact>

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
