// Checks positions against blocks. The position in an artifact item is only a claim, because anybody with write access can
// insert an item; only the block that lists the artifact proves it.
import type { Context } from '../../../base/context.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { artifactIdOf, type StoredArtifact } from '../artifact/artifact.ts'
import { type Block, blockKey, blockNumber, blocks } from './chain.ts'
import { type Entry, unpackEntries } from './entries.ts'
import { artifactHash } from '../artifact/hashes.ts'
import { readable } from '../artifact/readable.ts'

/**
 * The artifacts whose claimed position is confirmed by its block; with `text`, only if the block also lists the hash of the
 * stored text. Reads each block once.
 */
export async function placed<A extends StoredArtifact>(
  ctx: Context,
  items: readonly A[],
  { text = false } = {},
): Promise<Set<A>> {
  const numbers = [...new Set(items.flatMap(({ blk }) => blk ?? []))]
  const found = await ctx.table.read(
    readable(blocks),
    numbers.map((number) => blockKey(ctx.space, number)),
  )
  const listed = new Map(found.flatMap((block) => (block ? [[blockNumber(block), entriesOf(block)] as const] : [])))
  return new Set(
    items.filter(({ sk, seq = -1, blk = -1, header }) => {
      const entry = listed.get(blk)?.get(seq)
      return entry?.artifact_id === artifactIdOf(sk) && (!text || sameBytes(entry.ah, artifactHash(header)))
    }),
  )
}

/** By their position. */
function entriesOf({ first, entries }: Block): Map<number, Entry> {
  try {
    return new Map(unpackEntries(entries).map((entry, index) => [first + index, entry]))
  } catch {
    return new Map() // incomplete entries confirm no artifact
  }
}
