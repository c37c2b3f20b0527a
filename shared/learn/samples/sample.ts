// A sample: one action that somebody asked for, with what was thought of it. Its text stands in a scratch file, so that a hundred
// thousand samples fit into memory.
import type { LabelSource } from '../datasets/dataset.ts'

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
  /** Where the text stands in the scratch file. */
  place: { at: number; bytes: number }
}

/** 64 bits, as two numbers of 32. */
export type SimHash = readonly [number, number]

/** The most confident first; equals in the order of their ids, so that the order never depends on the reading. */
export const byConfidence = (a: Sample, b: Sample): number =>
  b.confidence - a.confidence || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
