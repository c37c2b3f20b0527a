// Computes the trust of an agent, key or client from the results of its actions over 30 days. A person has no trust value.

/** Counts of actions over the window. `violations` counts policies that rejected an action. */
export type Conduct = { ok: number; failed: number; undone: number; rejected: number; violations: number }

/** 0..100; 50 for an actor without history. Bad conduct weighs more than good. */
export const trustOf = ({ ok, failed, undone, rejected, violations }: Conduct): number =>
  Math.round((100 * (1 + ok)) / (2 + ok + failed + 2 * undone + 4 * rejected + 10 * violations))
