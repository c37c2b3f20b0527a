// Chooses the part of the chain that a pack holds. The requested times or sequences are widened to the checkpoints around them,
// because a part can be verified only from one checkpoint to another.
import type { Context } from '../../base/context.ts'
import {
  type Checkpoint,
  checkpointKey,
  checkpoints,
  chainKey,
  CHECKPOINT_PREFIX,
} from '../../ledger/evidence/chain/chain.ts'
import { openNote } from '../../ledger/evidence/checkpoint/note.ts'
import type { Signers } from '../../ledger/evidence/checkpoint/signers.ts'
import { keysFor } from '../../ledger/evidence/checkpoint/succession.ts'
import type { PackAsk } from './export.ts'

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
