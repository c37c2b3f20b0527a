// Executions of an action as learning sees them.
import type { Decided, Observed } from '../../../../shared/learn/snapshots/figures.ts'

export const DAY_MS = 86_400_000
export const START = Date.parse('2026-10-01T09:00:00.000Z')

export const ran = (n: number, of: Partial<Observed> = {}): Observed => ({
  id: `exe_${n}`,
  tier: 'HARD',
  status: 'executed',
  confidence: 0.9,
  latency_ms: 20,
  payload_bytes: 100,
  feedback: { good: 0, bad: 0, unsafe: 0 },
  ...of,
})

export const decided = (n: number, of: Partial<Decided> = {}): Decided => ({
  verdict: 'approved',
  by: 'person',
  at: new Date(START + (n % 7) * DAY_MS + n * 1_000).toISOString(),
  seconds: 60,
  self: false,
  rushed: false,
  careful_voters: [n % 2 === 0 ? 'ann' : 'ben'],
  attention: [60],
  ...of,
})

export const GOOD = { good: 1, bad: 0, unsafe: 0 }

/** Approved with care: `n` decisions, of which the first 20 were looked at a second time. */
export const careful = (
  n: number,
  change: (index: number) => Partial<Decided> = () => ({}),
  reviewed = 20,
): Observed[] =>
  Array.from({ length: n }, (_, index) =>
    ran(index, { decided: decided(index, change(index)), ...(index < reviewed && { feedback: GOOD }) }),
  )
