// Reads the artifacts of a range in the order of the chain, block by block, exactly as they are stored. It repairs and omits
// nothing, because the verifier must find every defect.
import type { Context } from '../../base/context.ts'
import { artifactIdOf, artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import { type Block, blockKey, blocks } from '../../ledger/evidence/chain/chain.ts'
import { type Entry, unpackEntries } from '../../ledger/evidence/chain/entries.ts'
import { chainName, link } from '../../ledger/evidence/artifact/hashes.ts'
import type { PackRange } from './pack-range.ts'

const BLOCKS_PER_READ = 20

/** One position: its link and its exact header, which is empty when the artifact is missing. */
export type Position = { artifact_id: string; link: Uint8Array; header: string; erased_by?: string | undefined }

/** `afterBlock`: the number of the last block before the range. */
export async function* readRange(
  ctx: Context,
  { from, to }: PackRange,
  afterBlock: number,
): AsyncGenerator<Position[]> {
  const { pk } = blockKey(ctx.space, 0)
  let after = blockKey(ctx.space, afterBlock).sk
  for (let next = from; next < to;) {
    const found = await ctx.table.query(readable(blocks), { pk, after, to: LAST_BLOCK, limit: BLOCKS_PER_READ })
    const page = found.filter((block) => block !== undefined)
    const last = page.at(-1)
    if (!last) return
    for (const block of page) {
      if (block.first < to) yield (await positionsOf(ctx, block)).slice(0, to - block.first)
    }
    after = last.sk
    next = last.first + last.count
  }
}

/** Sorts after every block. */
const LAST_BLOCK = 'B#~'

async function positionsOf(ctx: Context, block: Block): Promise<Position[]> {
  const chain = chainName(ctx.space)
  const entries = entriesOf(block)
  const found = await ctx.table.read(
    readable(artifacts),
    entries.map(({ artifact_id }) => artifactKey(ctx.space, artifact_id)),
  )
  const items = new Map(found.flatMap((item) => (item ? [[artifactIdOf(item.sk), item]] : [])))
  let previous = block.prev
  return entries.map(({ artifact_id, ah }, index) => {
    previous = link(chain, block.first + index, previous, ah)
    const { header = '', erased_by } = items.get(artifact_id) ?? {}
    return { artifact_id, link: previous, header, erased_by }
  })
}

/** Cut entries list nobody. */
function entriesOf({ entries }: Block): Entry[] {
  try {
    return unpackEntries(entries)
  } catch {
    return []
  }
}
