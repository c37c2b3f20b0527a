// Decides which rows are for testing. By group no prompt stands on both sides; by time the newest part is the test set.
import { sha256 } from '../../base/lib/json.ts'
import type { Sample } from './sample.ts'

export type SplitKind = 'group' | 'time' | 'sample'
export type Split = { kind: SplitKind; isTest: (sample: Sample) => boolean }

/** With fewer, most of the rows could fall on one side. */
const GROUPS_MIN = 10

/** From 0 up to and without 1, always the same for a key. */
export const shareOf = (key: string): number => sha256(key).readUInt32BE(0) / 2 ** 32

export function splitOf(
  samples: readonly Sample[],
  { split, test_fraction }: { split: 'group' | 'time'; test_fraction: number },
): Split {
  if (split === 'time') return { kind: 'time', isTest: newest(samples, test_fraction) }
  const groups = new Set(samples.map(({ group }) => group))
  const kind = groups.size < GROUPS_MIN ? 'sample' : 'group'
  return { kind, isTest: (sample) => shareOf(kind === 'group' ? sample.group : sample.id) < test_fraction }
}

function newest(samples: readonly Sample[], fraction: number): Split['isTest'] {
  const times = samples.map(({ requested_at }) => requested_at).toSorted((a, b) => a - b)
  const border = times[Math.floor(times.length * (1 - fraction))] ?? Infinity
  return ({ requested_at }) => requested_at >= border
}
