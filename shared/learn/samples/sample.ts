// A sample: one action that was requested, with the judgement on it. Its text is in a scratch file, so that a hundred thousand
// samples fit into memory. Beside it, the split of samples into rows for training and rows for testing.
import type { LabelSource } from '../datasets/dataset.ts'
import { sha256 } from '../../base/lib/json.ts'

export type Side = 'chosen' | 'rejected'

export type Sample = {
  /** Of the execution, or of the feedback that corrected it. */
  id: string
  side: Side
  /** 0 to 1. */
  confidence: number
  source: LabelSource
  /** When the label came about, and when the action was requested (ms). */
  decided_at: number
  requested_at: number
  /** SHA-256 (hex) of the prompt. */
  group: string
  /** SHA-256 (hex) of prompt and completion. */
  content: string
  /** See features.ts. */
  features: Uint32Array
  simhash: SimHash
  execution_ids: string[]
  artifact_ids: string[]
  /** The place of the text in the scratch file. */
  place: { at: number; bytes: number }
}

/** 64 bits, as two numbers of 32. */
export type SimHash = readonly [number, number]

/** The most confident first; equals in the order of their ids, so that the order never depends on the reading. */
export const byConfidence = (a: Sample, b: Sample): number =>
  b.confidence - a.confidence || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export type SplitKind = 'group' | 'time' | 'sample'
export type Split = { kind: SplitKind; isTest: (sample: Sample) => boolean }

/** With fewer, most of the rows could fall on one side. */
const GROUPS_MIN = 10

/** From 0 up to and without 1, always the same for a key. */
export const shareOf = (key: string): number => sha256(key).readUInt32BE(0) / 2 ** 32

/** Decides which rows are for testing. By group no prompt is on both sides; by time the newest part is the test set. */
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
