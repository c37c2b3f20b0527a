// What learning sees of one execution. It names no person: staff are not measured, only how an action is decided on.
import type { Tier } from '../../base/catalog/kinds.ts'
import type { Policy } from '../../govern/governance/policy.ts'
import type { ExecutionStatus } from '../../govern/executions/states.ts'

export type Severity = Policy['severity']

/** An approval that people or keys decided. */
export type Decided = {
  verdict: 'approved' | 'rejected'
  by: 'person' | 'key'
  at: string
  /** Since it was asked for. */
  seconds: number
  /** Every vote was the requester's own, or cast without reading. */
  self: boolean
  rushed: boolean
  /** Who voted without haste and did not ask for it themselves: pseudonyms, which leave this pass with nobody. */
  careful_voters: readonly string[]
  /** Seconds of attention of each vote of a person. */
  attention: readonly number[]
}

export type Observed = {
  id: string
  tier: Tier
  status: ExecutionStatus
  /** 0 to 1, of the classification. */
  confidence: number
  /** Of the decision. */
  latency_ms: number
  payload_bytes: number
  decided?: Decided | undefined
  /** A policy rejected it. */
  violation?: Severity | undefined
  /** Counting feedback. */
  feedback: { good: number; bad: number; unsafe: number }
  /** The probability of an approval that a model gave before. */
  score?: number | undefined
}

/** Careful: by a person who did not ask for it, and took the time to read it. */
export const isCareful = ({ by, careful_voters }: Decided): boolean => by === 'person' && careful_voters.length > 0
