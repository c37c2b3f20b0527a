// Reads the event log by position. Positions are dense, so a gap means that a commit is not visible yet. Reading stops at
// the gap and continues later, so no event is skipped.
import type { Context } from '../../base/context.ts'
import type { Envelope } from './event.ts'
import { chunkAt, chunksFrom, envelopesOf, RETENTION_DAYS } from './log.ts'

export type Located = { position: number; event: Envelope }

/** Maximum of commits per read. Each has an event, so a read of fewer events has most likely reached the end. */
export const PAGE_COMMITS = 50

/** The next events after a position, in their order; none when there are none yet. */
export async function eventsAfter(ctx: Context, position: number): Promise<Located[]> {
  const found: Located[] = []
  let next = position + 1
  for (const chunk of await chunksFrom(ctx, next, PAGE_COMMITS)) {
    if (chunk.first > next) break
    const known = next - chunk.first
    for (const event of envelopesOf(chunk).slice(known)) {
      found.push({ position: next, event })
      next += 1
    }
  }
  return found
}

/**
 * The first position that is still retained; one past `last` when there is none. `from` must be at or before it. One read
 * suffices when nothing has expired since `from`; otherwise it is a binary search.
 */
export async function oldestRetained(ctx: Context, last: number, from: number): Promise<number> {
  if (from > last || (await isRetained(ctx, from))) return from
  let [expired, retained] = [from, last + 1]
  while (retained - expired > 1) {
    const middle = Math.floor((expired + retained) / 2)
    if (await isRetained(ctx, middle)) retained = middle
    else expired = middle
  }
  return retained
}

async function isRetained(ctx: Context, position: number): Promise<boolean> {
  const chunk = await chunkAt(ctx, position)
  return chunk !== undefined && chunk.at >= ctx.now() - RETENTION_DAYS * 86_400_000
}
