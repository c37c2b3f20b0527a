// Reads the event log by position. Positions are dense, so a hole means that a commit is not visible yet: reading stops
// there and goes on later, and no event is ever skipped.
import type { Context } from '../../base/context.ts'
import type { Envelope } from './event.ts'
import { chunkAt, chunksFrom, envelopesOf, RETENTION_DAYS } from './log.ts'

export type Located = { position: number; event: Envelope }

/** Commits that one read covers at most. None is without an event: after a read of fewer events there is hardly more. */
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
 * The first position that can still be read; one past `last` when there is none. `from` is at or before it, and the
 * nearer, the fewer reads: one when nothing has expired since, else one for each halving of the log.
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
