// Trust of an agent, key or client (never of a person), from what became of its actions over 30 days.

/** Counts over the window; `violations` are policies that rejected. */
export type Conduct = { ok: number; failed: number; undone: number; rejected: number; violations: number }

/** 0..100; 50 for an actor without history. Bad conduct weighs more than good. */
export const trustOf = ({ ok, failed, undone, rejected, violations }: Conduct): number =>
  Math.round((100 * (1 + ok)) / (2 + ok + failed + 2 * undone + 4 * rejected + 10 * violations))
