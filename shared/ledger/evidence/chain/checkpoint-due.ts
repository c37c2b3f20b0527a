// When a checkpoint is due: a minute after the last one, or as soon as a thousand artifacts are unsigned.
import type { Checkpoint } from './chain.ts'

const AFTER_MS = 60_000
const AFTER_ARTIFACTS = 1_000

/** Time (ms) until a checkpoint is due; undefined when nothing is unsigned. */
export function waitBeforeCheckpoint(
  now: number,
  size: number,
  newest: Pick<Checkpoint, 'size' | 'at'> | undefined,
): number | undefined {
  const unsigned = size - (newest?.size ?? 0)
  if (unsigned === 0) return undefined
  // A negative number means that the chain was cut; the checkpointer reports it.
  if (!newest || unsigned < 0 || unsigned >= AFTER_ARTIFACTS) return 0
  // A signature in the future means that the clock was set back. Then the rest is signed at once instead of waiting.
  const since = now - Date.parse(newest.at)
  return since < 0 ? 0 : Math.max(0, AFTER_MS - since)
}
