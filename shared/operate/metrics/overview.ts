// The main figures of all areas on one page, compared with the tenant's targets. A figure without measurements is null.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { MS_EDGES, percentile, SECONDS_EDGES } from '../../base/lib/histogram.ts'
import type { OverviewSources } from '../../base/ports/rows.ts'
import { type MetricsWindow, rateOf, ratioOf } from './indicators.ts'
import { decisionsIn, errorsIn, piiIn, ProtocolMetrics, protocolMetrics } from './protocol.ts'
import { type Counts, readWindow } from './read-window.ts'
import { readTargets, SEEDED, Target, type TargetMetric } from './targets.ts'
import { TrainingMetrics, trainingMetrics } from './training.ts'

const figure = z.number().nullable()

export const MetricsOverview = z.object({
  window: z.string().describe('The window that was counted.'),
  as_of: z.string().describe('Everything before this time is counted.'),
  protocol: ProtocolMetrics.pick({
    executions: true,
    latency_ms: true,
    approvals: true,
    undo: true,
    errors: true,
  }).describe('Actions and how they went.'),
  training: TrainingMetrics.pick({ jobs: true, cost: true }).describe('Jobs and cost of training.'),
  posture_score: figure.describe('How the compliance checks stand, 0 to 100; null without an enabled framework.'),
  slo_summary: z
    .object({
      healthy: z.int().describe('Objectives with budget left.'),
      at_risk: z.int().describe('Objectives whose budget runs out.'),
      breached: z.int().describe('Objectives whose budget is spent.'),
      no_data: z.int().describe('Objectives with too few events.'),
    })
    .describe('How many objectives stand how.'),
  open_incidents: z.int().describe('Incidents that are neither resolved nor duplicates.'),
  chain: z
    .object({
      valid: z.int().describe('Verifications that found no fault.'),
      total: z.int().describe('The total number of items.'),
    })
    .describe('Verifications of the evidence chain in the window.'),
  targets: z
    .array(
      Target.extend({
        value: figure.describe('The figure; null without data.'),
        target: z.number().describe('What the figure should be.'),
        status: z.enum(['met', 'missed', 'no_data']).describe('The current state.'),
      }),
    )
    .describe('The targets of the tenant, and whether the window meets them.'),
})
type Overview = z.output<typeof MetricsOverview>

export async function metricsOverview(
  ctx: Context,
  window: MetricsWindow,
  sources: OverviewSources,
): Promise<Overview> {
  const [protocol, counts, stored, training, posture_score, slo_summary, open_incidents] = await Promise.all([
    protocolMetrics(ctx, window),
    readWindow(ctx, window),
    readTargets(ctx),
    trainingMetrics(ctx, window, sources.training),
    sources.posture(ctx),
    sources.slos(ctx),
    sources.openIncidents(ctx),
  ])
  const { as_of, executions, latency_ms, approvals, undo, errors } = protocol
  const chain = ratioOf(counts, { metric: 'evidence_integrity' })
  return {
    window: window.name,
    as_of,
    protocol: { executions, latency_ms, approvals, undo, errors },
    training: { jobs: training.jobs, cost: training.cost },
    posture_score,
    slo_summary,
    open_incidents,
    chain: { valid: chain.good, total: chain.total },
    targets: (stored?.targets ?? SEEDED).map((target) => compared({ counts, training, posture_score }, target)),
  }
}

type Measured = { counts: Counts; training: TrainingMetrics; posture_score: number | null }

/** The figure of each target, null where nothing is known of it. */
const FIGURES: Record<TargetMetric, (measured: Measured) => number | null> = {
  governance_latency_p95_ms: ({ counts }) => percentile(MS_EDGES, counts.histogram('g', MS_EDGES), 0.95),
  approval_decision_p95_s: ({ counts }) => percentile(SECONDS_EDGES, counts.histogram('as', SECONDS_EDGES), 0.95),
  auto_rate: ({ counts }) => rateOf(counts.sum('d.AUTO.run', 'd.AUTO.rejected'), decisionsIn(counts)),
  rejection_rate: ({ counts }) =>
    rateOf(counts.sum('d.AUTO.rejected', 'd.SOFT.rejected', 'd.HARD.rejected'), decisionsIn(counts)),
  undo_rate: ({ counts }) => rateOf(counts.sum('u.ok'), counts.sum('r.ok')),
  error_rate: ({ counts }) => errorsIn(counts).rate,
  pii_unblocked: ({ counts }) => {
    const { total, blocked, redacted } = piiIn(counts)
    return decisionsIn(counts) === 0 ? null : total - blocked - redacted
  },
  webhook_success_rate: ({ counts }) => {
    const { good, total } = ratioOf(counts, { metric: 'webhook_delivery' })
    return rateOf(good, total)
  },
  training_completion_rate: ({ training }) => training.jobs.completion_rate,
  model_accuracy: ({ training }) => lowest(training.quality.map(({ accuracy }) => accuracy)),
  posture_score: ({ posture_score }) => posture_score,
}

/** The worst of the models in use: one of them suffices to miss a target. */
function lowest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.min(...known)
}

function compared(measured: Measured, { metric, op, value: target }: Target): Overview['targets'][number] {
  const value = FIGURES[metric](measured)
  if (value === null) return { metric, op, value, target, status: 'no_data' }
  const isMet = op === 'lte' ? value <= target : value >= target
  return { metric, op, value, target, status: isMet ? 'met' : 'missed' }
}
