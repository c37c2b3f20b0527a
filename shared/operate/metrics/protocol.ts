// The figures of a space's actions over a window.
import * as z from 'zod'
import { TIERS } from '../../base/catalog/kinds.ts'
import { DIRECTIONS, OUTCOMES } from '../../base/catalog/measure-words.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { statusPartition } from '../../govern/approvals/approval.ts'
import { type Edges, MS_EDGES, percentile, SECONDS_EDGES } from '../../base/lib/histogram.ts'
import { type MetricsWindow, rateOf, ratioOf, sumOf } from './indicators.ts'
import { DAY, HOUR, type Period, PERIODS } from './state.ts'
import { type Counts, readPeriods, readWindow, type Span } from './read-window.ts'

const count = z.int()
const rate = z.number().nullable()
const Percentiles = z.object({
  p50: rate.describe('Half of the values are at most this.'),
  p95: rate.describe('95 percent of the values are at most this.'),
  p99: rate.describe('99 % took at most as long; null without data.'),
})

export const ProtocolMetrics = z.object({
  window: z.string().describe('The window that was counted.'),
  as_of: z.string().describe('Everything before this time is counted.'),
  executions: z
    .object({
      total: count.describe('The total number of items.'),
      by_tier: z.record(z.string(), count).describe('Decisions by the tier they came to.'),
      by_status: z
        .record(z.string(), count)
        .describe('How decisions and runs of the window ended. `pending_approval` is what waits now.'),
    })
    .describe('Decisions on actions, and how runs ended.'),
  latency_ms: z
    .object({
      governance: Percentiles.describe('How long decisions took.'),
      end_to_end: Percentiles.describe('From the request to its outcome, without actions that waited for people.'),
    })
    .describe('How long it took, in ms.'),
  approvals: z
    .object({
      requested: count.describe('Approvals that were asked for.'),
      approved: count.describe('Approvals that people gave.'),
      rejected: count.describe('Approvals that were refused.'),
      expired: count.describe('Approvals that nobody decided in time.'),
      pending: count.describe('Approvals that wait now.'),
      median_decision_s: rate.describe('Seconds until half of the decisions; null without decisions.'),
      p95_decision_s: rate.describe('Seconds until 95 % of the decisions; null without decisions.'),
      sla_hit_rate: rate.describe('Share of the decisions within their SLA; null where none has an SLA.'),
    })
    .describe('Approvals of the window.'),
  undo: z
    .object({
      count: count.describe('How many actions.'),
      rate: rate.describe('Their share of the runs that succeeded; null without runs.'),
    })
    .describe('Actions that were undone.'),
  errors: z
    .object({
      count: count.describe('How many requests.'),
      rate: rate.describe('Their share of all requests; null without requests.'),
    })
    .describe('Requests that an error of the service ended.'),
  pii_events: z
    .object({
      total: count.describe('The total number of items.'),
      by_type: z.record(z.string(), count).describe('Findings by type.'),
      by_direction: z
        .object({
          input: count.describe('Found in payloads.'),
          output: count.describe('Found in outputs.'),
          dataset: count.describe('Found in data sets.'),
        })
        .describe('Findings by where they were found.'),
      blocked: count.describe('Findings in actions that were refused for them.'),
      redacted: count.describe('Findings that placeholders replace wherever somebody looks.'),
    })
    .describe('Personal data that was found, never its values.'),
  top_nodes: z
    .array(
      z.object({
        node_id: z.string().describe('Id of the node.'),
        runs: count.describe('Runs of the node that ended.'),
        failures: count.describe('Those among them that did not succeed.'),
      }),
    )
    .describe('The ten nodes with most runs.'),
  series: z
    .array(
      z.object({
        at: z.string().describe('When it happened.'),
        executions: count.describe('Decisions in this part of the window.'),
        approvals: count.describe('Approvals that were asked for in this part of the window.'),
        p95: rate.describe('95 percent of the values are at most this.'),
      }),
    )
    .describe('The window in minutes, hours or days, at most the newest 168.'),
  method: z.literal('histogram').describe('How percentiles are computed.'),
})
export type ProtocolMetrics = z.output<typeof ProtocolMetrics>

export async function protocolMetrics(ctx: Context, window: MetricsWindow): Promise<ProtocolMetrics> {
  const [counts, series, pending] = await Promise.all([readWindow(ctx, window), seriesOf(ctx, window), waiting(ctx)])
  return {
    window: window.name,
    as_of: iso(window.asOf),
    executions: executionsIn(counts, pending),
    latency_ms: {
      governance: percentiles(MS_EDGES, counts.histogram('g', MS_EDGES)),
      end_to_end: percentiles(MS_EDGES, counts.histogram('e', MS_EDGES)),
    },
    approvals: { ...approvalsIn(counts), pending },
    undo: { count: counts.sum('u.ok'), rate: rateOf(counts.sum('u.ok'), counts.sum('r.ok')) },
    errors: errorsIn(counts),
    pii_events: piiIn(counts),
    top_nodes: topNodes(counts),
    series,
    method: 'histogram',
  }
}

export const decisionsIn = (counts: Counts): number => sumOf(counts.histogram('g', MS_EDGES))

const percentiles = (edges: Edges, counts: readonly number[]) => ({
  p50: percentile(edges, counts, 0.5),
  p95: percentile(edges, counts, 0.95),
  p99: percentile(edges, counts, 0.99),
})

/** A decision is counted under the tier and with the outcome that it had then; what waits for a person, as it is now. */
function executionsIn(counts: Counts, pending: number): ProtocolMetrics['executions'] {
  const of = (tier: string, outcome: string) => counts.sum(`d.${tier}.${outcome}`)
  return {
    total: decisionsIn(counts),
    by_tier: Object.fromEntries(TIERS.map((tier) => [tier, sumOf(OUTCOMES.map((outcome) => of(tier, outcome)))])),
    by_status: {
      executed: counts.sum('r.ok'),
      failed: counts.sum('r.failed'),
      outcome_unknown: counts.sum('r.unknown'),
      pending_approval: pending,
      rejected: sumOf(TIERS.map((tier) => of(tier, 'rejected'))) + counts.sum('a.rejected'),
      expired: counts.sum('a.expired'),
      cancelled: counts.sum('a.cancelled'),
      undone: counts.sum('u.ok'),
    },
  }
}

function approvalsIn(counts: Counts) {
  const decided = counts.histogram('as', SECONDS_EDGES)
  const [hit, missed] = [counts.sum('a.sla_hit'), counts.sum('a.sla_missed')]
  return {
    requested: counts.sum('a.asked'),
    approved: counts.sum('a.approved'),
    rejected: counts.sum('a.rejected'),
    expired: counts.sum('a.expired'),
    median_decision_s: percentile(SECONDS_EDGES, decided, 0.5),
    p95_decision_s: percentile(SECONDS_EDGES, decided, 0.95),
    sla_hit_rate: rateOf(hit, hit + missed),
  }
}

export function errorsIn(counts: Counts) {
  const { good, total } = ratioOf(counts, { metric: 'api_availability' })
  return { count: total - good, rate: rateOf(total - good, total) }
}

/** Series are named `<type>.<direction>.<action>`. */
export function piiIn(counts: Counts): ProtocolMetrics['pii_events'] {
  const by_type: Record<string, number> = {}
  const by_direction = Object.fromEntries(DIRECTIONS.map((direction) => [direction, 0]))
  const by_action: Record<string, number> = {}
  for (const [name, found] of counts.under('p.')) {
    const [type = '', direction = '', action = ''] = name.split('.')
    by_type[type] = (by_type[type] ?? 0) + found
    by_direction[direction] = (by_direction[direction] ?? 0) + found
    by_action[action] = (by_action[action] ?? 0) + found
  }
  const { input = 0, output = 0, dataset = 0 } = by_direction
  return {
    total: input + output + dataset,
    by_type,
    by_direction: { input, output, dataset },
    blocked: by_action.blocked ?? 0,
    redacted: by_action.redacted ?? 0,
  }
}

const NODES_SHOWN = 10

const topNodes = (counts: Counts): ProtocolMetrics['top_nodes'] =>
  counts
    .under('n.')
    .map(([node_id, runs]) => ({ node_id, runs, failures: counts.sum(`nb.${node_id}`) }))
    .toSorted((a, b) => b.runs - a.runs || (a.node_id < b.node_id ? -1 : 1))
    .slice(0, NODES_SHOWN)

const POINTS_MAX = 168

/** Minutes of up to an hour, hours of up to seven days, else the newest days; every point of the window has one. */
async function seriesOf(ctx: Context, { from, until }: Span): Promise<ProtocolMetrics['series']> {
  const period: Period = until - from <= HOUR ? 'M' : until - from <= 7 * DAY ? 'H' : 'D'
  const { ms } = PERIODS[period]
  const first = Math.max(Math.floor(from / ms) * ms, (Math.ceil(until / ms) - POINTS_MAX) * ms)
  const found = new Map((await readPeriods(ctx, period, { from: first, until })).map(({ at, counts }) => [at, counts]))
  return Array.from({ length: Math.max(0, Math.ceil((until - first) / ms)) }, (_, index) => {
    const at = first + index * ms
    return { at: iso(at), ...pointOf(found.get(at)) }
  })
}

function pointOf(counts: Counts | undefined): Omit<ProtocolMetrics['series'][number], 'at'> {
  if (!counts) return { executions: 0, approvals: 0, p95: null }
  const decisions = counts.histogram('g', MS_EDGES)
  return { executions: sumOf(decisions), approvals: counts.sum('a.asked'), p95: percentile(MS_EDGES, decisions, 0.95) }
}

async function waiting({ table, space }: Context): Promise<number> {
  return (await table.count({ pk: statusPartition(space, 'pending'), index: 'gsi1' })).total
}

/** How many executions were decided on in a time of whole minutes. */
export const countExecutions = async (ctx: Context, span: Span): Promise<number> =>
  decisionsIn(await readWindow(ctx, span))
