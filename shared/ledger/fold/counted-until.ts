import { MINUTE_MS } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { chunksFrom, logHead } from '../events/log.ts'
import { lastEnded } from './fold.ts'
import type { FolderPosition } from './folder.ts'

/**
 * The instant (ms) before which a folder has counted everything in the log: the end of the last minute that is over, or the
 * beginning of the oldest one that still waits to be counted. An idle space waits for nothing.
 */
export async function countedUntil(ctx: Context, { position }: Pick<FolderPosition, 'position'>): Promise<number> {
  const head = await logHead(ctx)
  const [chunk] = head.position > position ? await chunksFrom(ctx, position + 1, 1) : []
  const ended = lastEnded(ctx.now())
  return chunk ? Math.min(ended, Math.floor(chunk.at / MINUTE_MS) * MINUTE_MS) : ended
}
