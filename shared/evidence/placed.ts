// Who stands in the chain. What an artifact item says of its own position is only a claim, since an item can be inserted
// without the chain: a position is given by the block that lists it.
import type { Context } from '../context.ts'
import { artifactIdOf, type StoredArtifact } from './artifact.ts'
import { type Block, blockKey, blockNumber, blocks } from './chain.ts'
import { unpackEntries } from './entries.ts'
import { readable } from './readable.ts'

/** Of artifacts that claim a position, those whose block gives it to them. Reads each block once. */
export async function placed<A extends StoredArtifact>(ctx: Context, items: readonly A[]): Promise<Set<A>> {
  const numbers = [...new Set(items.flatMap(({ blk }) => blk ?? []))]
  const found = await ctx.table.read(
    readable(blocks),
    numbers.map((number) => blockKey(ctx.space, number)),
  )
  const listed = new Map(
    found.filter((block) => block !== undefined).map((block) => [blockNumber(block), idsIn(block)]),
  )
  return new Set(items.filter(({ sk, seq = -1, blk = -1 }) => listed.get(blk)?.get(seq) === artifactIdOf(sk)))
}

/** Artifact ids of a block by their position. */
function idsIn({ first, entries }: Block): Map<number, string> {
  try {
    return new Map(unpackEntries(entries).map(({ artifact_id }, index) => [first + index, artifact_id]))
  } catch {
    return new Map() // cut entries list nobody
  }
}
