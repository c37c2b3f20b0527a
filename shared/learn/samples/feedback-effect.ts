// What people said afterwards changes a label. Only feedback that counts comes here; see the room of feedback.
import type { Label } from './label.ts'

export type Verdict = 'good' | 'bad'

const AGREES = 0.1
const CONTRADICTS = 0.7

/** Undefined when people contradict each other: then nothing is known. */
export function withFeedback(label: Label, verdicts: readonly Verdict[]): Label | undefined {
  const [verdict, ...others] = new Set(verdicts)
  if (verdict === undefined) return label
  if (others.length > 0) return undefined
  const side = verdict === 'good' ? 'chosen' : 'rejected'
  if (side !== label.side) return { side, confidence: CONTRADICTS, source: 'feedback', decided_at: label.decided_at }
  return { ...label, confidence: Math.min(1, Math.round((label.confidence + AGREES) * 1e6) / 1e6) }
}
