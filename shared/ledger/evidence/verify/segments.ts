// Splits a chain for a full pass. Segments start at signed checkpoints, because only there a walk needs no earlier
// artifacts.
import type { Context } from '../../../base/context.ts'
import { CHECKPOINT_PREFIX, checkpointKey } from '../chain/chain.ts'

/** Maximum of artifacts per segment, unless two checkpoints are further apart. */
const SEGMENT_MAX = 50_000

/** Segments as pairs of checkpoint sizes that cover the chain up to `size`, the newest checkpoint. */
export async function segmentsTo(ctx: Context, size: number): Promise<{ from: number; to: number }[]> {
  const segments: { from: number; to: number }[] = []
  for (let from = 0; from < size;) {
    const to = from + SEGMENT_MAX >= size ? size : await borderAfter(ctx, from, size)
    segments.push({ from, to })
    from = to
  }
  return segments
}

/** The last checkpoint within the length of a segment, else the next one. */
async function borderAfter(ctx: Context, from: number, size: number): Promise<number> {
  const { pk, sk: after } = checkpointKey(ctx.space, from)
  const { sk: last } = checkpointKey(ctx.space, from + SEGMENT_MAX)
  const within = { pk, from: `${after}~`, to: last, descending: true, limit: 1 }
  const [farthest] = await ctx.table.keys(within)
  const [next] = farthest ? [farthest] : await ctx.table.keys({ pk, after, to: `${CHECKPOINT_PREFIX}~`, limit: 1 })
  return Math.min(size, next ? Number(next.sk.slice(CHECKPOINT_PREFIX.length)) : size)
}
