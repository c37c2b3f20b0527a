// When a chain is signed: a minute after it was last signed, or as soon as a thousand artifacts wait.
import type { Checkpoint } from '../chain/chain.ts'

const AFTER_MS = 60_000
const AFTER_ARTIFACTS = 1_000

/** How long (ms) a signature may still wait; undefined when nothing waits for one. */
export function waitBeforeCheckpoint(
  now: number,
  size: number,
  newest: Pick<Checkpoint, 'size' | 'at'> | undefined,
): number | undefined {
  const unsigned = size - (newest?.size ?? 0)
  if (unsigned === 0) return undefined
  // Less than nothing unsigned is a chain that was cut: the checkpointer finds out.
  if (!newest || unsigned < 0 || unsigned >= AFTER_ARTIFACTS) return 0
  // Signed in the future: the clock was set back. What waits is signed at once, or it would wait for the size of the step.
  const since = now - Date.parse(newest.at)
  return since < 0 ? 0 : Math.max(0, AFTER_MS - since)
}
