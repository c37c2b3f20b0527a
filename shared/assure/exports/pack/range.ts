// Chooses the part of the chain that a pack holds, and reads it. The requested times or sequences are widened to the checkpoints
// around them, because a part can be verified only from one checkpoint to another.
import type { Context } from '../../../base/context.ts'
import {
  type Block,
  blockKey,
  blocks,
  chainKey,
  type Checkpoint,
  CHECKPOINT_PREFIX,
  checkpointKey,
  checkpoints,
  type Entry,
  unpackEntries,
} from '../../../ledger/evidence/chain/chain.ts'
import { keysFor, openNote } from '../../../ledger/evidence/checkpoint/note.ts'
import type { Signers } from '../../../ledger/evidence/checkpoint/signers.ts'
import type { PackAsk } from '../export.ts'
import { artifactIdOf, artifactKey, artifacts, readable } from '../../../ledger/evidence/artifact/artifact.ts'
import { chainName, link } from '../../../ledger/evidence/artifact/hashes.ts'

/** Sequences from `from` up to and without `to`. */
export type PackRange = { from: number; to: number }

/** The longest time from an event to the position of its artifact, with the difference of clocks. */
const MARGIN_MS = 60_000
const PER_PAGE = 1_000

export async function rangeOf(ctx: Context, size: number, ask: PackAsk): Promise<PackRange> {
  const { start_at, end_at, from_sequence = 0, to_sequence = size } = ask
  const from = start_at === undefined ? from_sequence : await signedBefore(ctx, size, Date.parse(start_at) - MARGIN_MS)
  const to = end_at === undefined ? to_sequence : (await signedBefore(ctx, size, Date.parse(end_at) + MARGIN_MS)) + 1
  const [below, above] = await Promise.all([
    nearest(ctx, { to: checkpointKey(ctx.space, Math.min(from, size)).sk, descending: true }),
    nearest(ctx, { from: checkpointKey(ctx.space, Math.min(to, size)).sk }),
  ])
  return { from: below?.size ?? 0, to: Math.max(below?.size ?? 0, Math.min(size, above?.size ?? size)) }
}

/** The size of the newest checkpoint signed up to an instant (ms); 0 when there is none. Later checkpoints are larger. */
async function signedBefore(ctx: Context, size: number, instant: number): Promise<number> {
  let [low, high] = [0, size]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const found = await nearest(ctx, { to: checkpointKey(ctx.space, middle).sk, descending: true })
    if (found && Date.parse(found.at) > instant) high = found.size - 1
    else low = middle
  }
  const found = await nearest(ctx, { to: checkpointKey(ctx.space, low).sk, descending: true })
  return found?.size ?? 0
}

async function nearest(ctx: Context, bounds: { from?: string; to?: string; descending?: boolean }) {
  const range = { pk: chainKey(ctx.space), from: CHECKPOINT_PREFIX, to: `${CHECKPOINT_PREFIX}~`, ...bounds, limit: 1 }
  const [found] = await ctx.table.query(checkpoints, range)
  return found
}

/**
 * The checkpoints of the range, both ends included, thinned out evenly to about `max`. The last one is always kept. A checkpoint
 * that a container signed with a replaced key is left out.
 */
export async function checkpointsOf(ctx: Context, signers: Signers, { from, to }: PackRange, max: number) {
  const keys = await ctx.table.keys({
    pk: chainKey(ctx.space),
    from: checkpointKey(ctx.space, from).sk,
    to: checkpointKey(ctx.space, to).sk,
  })
  const every = Math.max(1, Math.ceil(keys.length / max))
  const chosen = keys.filter((_, index) => (keys.length - 1 - index) % every === 0 || index === 0)
  const pages = Array.from({ length: Math.ceil(chosen.length / PER_PAGE) }, (_, page) =>
    ctx.table.read(checkpoints, chosen.slice(page * PER_PAGE, (page + 1) * PER_PAGE)),
  )
  const isLate = ({ size, note }: Checkpoint) =>
    openNote(note, signers.keys) !== undefined && openNote(note, keysFor(signers.known, size)) === undefined
  return (await Promise.all(pages)).flat().filter((one) => !isLate(one))
}

const BLOCKS_PER_READ = 20

/** One position: its link and its exact header, which is empty when the artifact is missing. */
export type Position = { artifact_id: string; link: Uint8Array; header: string; erased_by?: string | undefined }

/**
 * The artifacts of a range in the order of the chain, block by block, exactly as they are stored. It repairs and omits nothing,
 * because the verifier must find every defect. `afterBlock`: the number of the last block before the range.
 */
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
