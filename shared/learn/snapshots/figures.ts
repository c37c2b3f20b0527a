// The figures of one action over a window. A figure without measurements is null, never 0.
import * as z from 'zod'
import { sha256Hex } from '../../base/lib/json.ts'
import { wilson } from '../statistics/variance.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { Policy } from '../../govern/governance/policy.ts'
import type { ExecutionStatus } from '../../govern/executions/states.ts'

const Interval = z.object({
  lower: z.number().describe('Its lower end.'),
  upper: z.number().describe('Its upper end.'),
})
export const Rate = z.object({
  k: z.int().describe('How many.'),
  n: z.int().describe('How many the share is of.'),
  rate: z.number().nullable().describe('The share; null where there are none.'),
  ci95: Interval.nullable().describe('The 95 % interval of the share (Wilson).'),
})
export type Rate = z.output<typeof Rate>
const Percentiles = z.object({
  p50: z.number().nullable().describe('Half of the values are at most this.'),
  p95: z.number().nullable().describe('95 percent of the values are at most this.'),
})

const Quality = z.object({
  /** How many of the careful decisions approved. */
  careful: Rate.describe(
    'Approved, of the decisions by people who did not ask for it and took at least three seconds.',
  ),
  rushed_share: z.number().nullable().describe('The share of decisions that took less than three seconds.'),
  key_share: z.number().nullable().describe('The share of decisions by keys.'),
  self_share: z.number().nullable().describe('The share of decisions by those who asked for it.'),
  attention_s_p50: z.number().nullable().describe('The median of the seconds that people took for a vote.'),
  distinct_approvers: z.int().describe('How many people decided with care.'),
  /** The busiest approver's share of the careful decisions. */
  top_share: z.number().nullable().describe('The share of the busiest of them.'),
  days: z.int().describe('On how many days (UTC) they did.'),
  reviewed: z.int().describe('Approved ones that somebody else looked at later.'),
  overturned: z.int().describe('Of these, how many they call bad.'),
  /** Approved executions for a second look. */
  review_sample: z.array(z.string()).describe('Executions to look at a second time.'),
})

export const Figures = z.object({
  n_auto: z.int().describe('Executions that were AUTO.'),
  n_soft: z.int().describe('Executions that were SOFT.'),
  n_hard: z.int().describe('Executions that were HARD.'),
  approvals: z.int().describe('Approvals that were given.'),
  rejections: z.int().describe('Approvals that were refused.'),
  approval_rate: Rate.describe('Given, of all that were decided.'),
  undo_rate: Rate.describe('Undone, of the SOFT ones that ran.'),
  failure_rate: Rate.describe('Failed, of all that ran.'),
  bad_rate: Rate.describe('Refused, undone or called bad, of all that came to an end.'),
  bad_feedback: z.int().describe('Executions that feedback calls bad.'),
  unsafe_feedback: z.int().describe('Executions that feedback calls unsafe.'),
  violations: z
    .object({
      total: z.int().describe('The total number of items.'),
      high: z.int().describe('By a policy of severity high.'),
      critical: z.int().describe('By a policy of severity critical.'),
    })
    .describe('Executions that a policy rejected.'),
  mean_confidence: z.number().nullable().describe('Mean confidence of the classification, 0 to 1.'),
  latency_ms: Percentiles.describe('How long it took, in ms.'),
  decision_seconds: Percentiles.describe('Seconds until an approval was decided.'),
  recent_rejections: z.int().describe('Refused ones among the last 20 decisions.'),
  quality: Quality.describe('How people decided on it. No figure is about a single person.'),
})
export type Figures = z.output<typeof Figures>

const RECENT = 20
const SAMPLE = 20

export const rateOf = (k: number, n: number): Rate => ({ k, n, rate: n === 0 ? null : k / n, ci95: wilson({ k, n }) })

const count = <T>(all: readonly T[], holds: (one: T) => boolean): number => all.filter(holds).length
const share = (k: number, n: number) => (n === 0 ? null : k / n)

/** The nearest rank. */
function percentile(sorted: readonly number[], p: number): number | null {
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? null
}

function percentiles(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) }
}

export function figuresOf(all: readonly Observed[]): Figures {
  const decisions = all.flatMap(({ decided }) => decided ?? [])
  const is = (...statuses: Observed['status'][]) => count(all, ({ status }) => statuses.includes(status))
  const [undone, failed, ran] = [is('undone'), is('failed'), is('executed', 'undone')]
  const approvals = count(decisions, ({ verdict }) => verdict === 'approved')
  const soft = count(all, ({ tier, status }) => tier === 'SOFT' && (status === 'executed' || status === 'undone'))
  const ended = count(all, (one) => hasEnded(one))
  return {
    n_auto: count(all, ({ tier }) => tier === 'AUTO'),
    n_soft: count(all, ({ tier }) => tier === 'SOFT'),
    n_hard: count(all, ({ tier }) => tier === 'HARD'),
    approvals,
    rejections: decisions.length - approvals,
    approval_rate: rateOf(approvals, decisions.length),
    undo_rate: rateOf(undone, soft),
    failure_rate: rateOf(failed, ran + failed),
    bad_rate: rateOf(count(all, isBad), ended),
    bad_feedback: count(all, ({ feedback }) => feedback.bad > 0),
    unsafe_feedback: count(all, ({ feedback }) => feedback.unsafe > 0),
    violations: {
      total: count(all, ({ violation }) => violation !== undefined),
      high: count(all, ({ violation }) => violation === 'high'),
      critical: count(all, ({ violation }) => violation === 'critical'),
    },
    mean_confidence: share(
      all.reduce((sum, { confidence }) => sum + confidence, 0),
      all.length,
    ),
    latency_ms: percentiles(all.map(({ latency_ms }) => latency_ms)),
    decision_seconds: percentiles(decisions.map(({ seconds }) => seconds)),
    recent_rejections: count(lastOf(decisions, RECENT), ({ verdict }) => verdict === 'rejected'),
    quality: qualityOf(all, decisions),
  }
}

/** Rejected by people is an end; what nobody decided in time says nothing. */
const hasEnded = ({ status, decided }: Observed) =>
  status === 'executed' || status === 'undone' || status === 'failed' || decided?.verdict === 'rejected'

const isBad = (one: Observed) =>
  hasEnded(one) && (one.status === 'undone' || one.decided?.verdict === 'rejected' || one.feedback.bad > 0)

const lastOf = (decisions: readonly Decided[], most: number) =>
  decisions.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, most)

function qualityOf(all: readonly Observed[], decisions: readonly Decided[]): Figures['quality'] {
  const careful = decisions.filter(isCareful)
  const byVoter = Map.groupBy(
    careful.flatMap(({ careful_voters }) => [...new Set(careful_voters)]),
    (voter) => voter,
  )
  const approved = all.filter(({ decided }) => decided?.verdict === 'approved')
  const n = decisions.length
  return {
    careful: rateOf(
      count(careful, ({ verdict }) => verdict === 'approved'),
      careful.length,
    ),
    rushed_share: share(
      count(decisions, ({ rushed }) => rushed),
      n,
    ),
    key_share: share(
      count(decisions, ({ by }) => by === 'key'),
      n,
    ),
    self_share: share(
      count(decisions, ({ self }) => self),
      n,
    ),
    attention_s_p50: percentiles(decisions.flatMap(({ attention }) => attention)).p50,
    distinct_approvers: byVoter.size,
    top_share: share(Math.max(0, ...[...byVoter.values()].map(({ length }) => length)), careful.length),
    days: new Set(careful.map(({ at }) => at.slice(0, 10))).size,
    reviewed: count(approved, ({ feedback }) => feedback.good + feedback.bad > 0),
    overturned: count(approved, ({ feedback }) => feedback.bad > 0),
    review_sample: approved
      .map(({ id }) => ({ id, rank: sha256Hex(id) }))
      .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, SAMPLE)
      .map(({ id }) => id),
  }
}

// The facts of one execution that learning reads. They name no person: decisions on an action are measured, staff are not.

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
const isCareful = ({ by, careful_voters }: Decided): boolean => by === 'person' && careful_voters.length > 0
