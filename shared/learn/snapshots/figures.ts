// The figures of one action over a window. What was not measured is null, never 0.
import * as z from 'zod'
import { sha256Hex } from '../../base/lib/hash.ts'
import { wilson } from '../statistics/wilson.ts'
import { isCareful, type Decided, type Observed } from './observed.ts'

const Interval = z.object({ lower: z.number(), upper: z.number() })
export const Rate = z.object({ k: z.int(), n: z.int(), rate: z.number().nullable(), ci95: Interval.nullable() })
export type Rate = z.output<typeof Rate>
const Percentiles = z.object({ p50: z.number().nullable(), p95: z.number().nullable() })

const Quality = z.object({
  /** Of careful decisions: how many approved. */
  careful: Rate,
  rushed_share: z.number().nullable(),
  key_share: z.number().nullable(),
  self_share: z.number().nullable(),
  attention_s_p50: z.number().nullable(),
  distinct_approvers: z.int(),
  /** The busiest approver's share of the careful decisions. */
  top_share: z.number().nullable(),
  days: z.int(),
  reviewed: z.int(),
  overturned: z.int(),
  /** Approved executions for a second look. */
  review_sample: z.array(z.string()),
})

export const Figures = z.object({
  n_auto: z.int(),
  n_soft: z.int(),
  n_hard: z.int(),
  approvals: z.int(),
  rejections: z.int(),
  approval_rate: Rate,
  undo_rate: Rate,
  failure_rate: Rate,
  /** Rejected, undone or called bad, of all that came to an end. */
  bad_rate: Rate,
  bad_feedback: z.int(),
  unsafe_feedback: z.int(),
  violations: z.object({ total: z.int(), high: z.int(), critical: z.int() }),
  mean_confidence: z.number().nullable(),
  latency_ms: Percentiles,
  decision_seconds: Percentiles,
  /** Among the last 20 decisions. */
  recent_rejections: z.int(),
  quality: Quality,
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
