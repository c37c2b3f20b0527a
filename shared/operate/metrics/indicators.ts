// The good events of each indicator, and the window that a reader asks about. Indicators are ratios of counted events, so they add
// up over any window.
import { countBelow, MS_EDGES } from '../../base/lib/histogram.ts'
import type { Counts, Span } from './read-window.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { asOf, DAY, HOUR, MINUTE } from './state.ts'

export type Ratio = { good: number; total: number }

export type Indicator =
  | {
      metric:
        | 'api_availability'
        | 'execution_success'
        | 'approval_timeliness'
        | 'webhook_delivery'
        | 'evidence_integrity'
        | 'training_success'
    }
  /** `threshold_ms` is an edge of the histogram. */
  | { metric: 'governance_latency'; threshold_ms: number }
  | { metric: 'custom'; name: string }

export function ratioOf(counts: Counts, indicator: Indicator): Ratio {
  switch (indicator.metric) {
    case 'api_availability': {
      const failed = counts.sum('rb')
      const total = Math.max(counts.sum('rq'), failed) // the rate counter may have been out of reach
      return { good: total - failed, total }
    }
    case 'governance_latency': {
      const decisions = counts.histogram('g', MS_EDGES)
      return { good: countBelow(MS_EDGES, decisions, indicator.threshold_ms), total: sumOf(decisions) }
    }
    case 'execution_success':
      return { good: counts.sum('r.ok'), total: counts.sum('r.ok', 'r.failed', 'r.unknown') }
    case 'approval_timeliness':
      return { good: counts.sum('a.sla_hit'), total: counts.sum('a.approved', 'a.rejected', 'a.expired') }
    case 'webhook_delivery':
      return { good: counts.sum('dl_ok'), total: counts.sum('dl_ok', 'dl_bad') }
    case 'evidence_integrity':
      return { good: counts.sum('v.ok'), total: counts.sum('v.ok', 'v.bad') }
    case 'training_success':
      return { good: counts.sum('j.ok'), total: counts.sum('j.ok', 'j.bad') }
    case 'custom':
      return { good: counts.sum(`c.${indicator.name}.g`), total: counts.sum(`c.${indicator.name}.t`) }
    default:
      return indicator satisfies never
  }
}

/** To four decimals; null where there is nothing to divide by, never 0. */
export const rateOf = (part: number, total: number): number | null =>
  total === 0 ? null : Math.round((part / total) * 10_000) / 10_000

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

const LENGTHS = { '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY } as const
const SPAN_MAX = 400 * DAY

export const WindowQuery = z.object({
  window: z.string().optional().describe('The length of the time window up to now.'),
  start_at: z
    .string()
    .optional()
    .describe('From this time on, ISO 8601.')
    .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
  end_at: z
    .string()
    .optional()
    .describe('Up to this time, ISO 8601.')
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
})
export type WindowQuery = z.output<typeof WindowQuery>

export type MetricsWindow = Span & {
  asOf: number
  /** Its name, or its two ends as they were read. */
  name: string
}

/**
 * The window that a reader asks about, by default the last 24 hours. It ends at or before `as_of`, so that it holds no minute that
 * is only half counted. Throws 422 for one that is malformed, reversed, in the future or longer than 400 days.
 */
export async function metricsWindow(ctx: Context, query: WindowQuery): Promise<MetricsWindow> {
  const { window, start_at, end_at } = query
  if (start_at === undefined && end_at === undefined) return namedWindow(window ?? '24h', await asOf(ctx))
  if (window !== undefined) throw refused('window', 'cannot stand beside start_at and end_at; leave one of them out')
  const from = instantOf('start_at', start_at)
  const end = instantOf('end_at', end_at)
  if (from >= end) throw refused('end_at', 'must be at least a minute after start_at')
  if (end > ctx.now()) throw refused('end_at', 'must not be in the future')
  if (end - from > SPAN_MAX) throw refused('start_at', 'must be at most 400 days before end_at')
  const counted = await asOf(ctx)
  const until = Math.min(end, counted)
  return { from: Math.min(from, until), until, asOf: counted, name: `${iso(from)}/${iso(end)}` }
}

function namedWindow(name: string, until: number): MetricsWindow {
  const length = Object.hasOwn(LENGTHS, name) ? LENGTHS[name as keyof typeof LENGTHS] : undefined
  if (length === undefined) throw refused('window', `must be one of ${Object.keys(LENGTHS).join(', ')}`)
  return { from: until - length, until, asOf: until, name }
}

/** Down to the minute. */
function instantOf(name: string, text: string | undefined): number {
  const parsed = z.iso.datetime({ offset: true }).safeParse(text)
  if (!parsed.success) throw refused(name, 'must be an instant, ISO 8601; start_at and end_at go together')
  return Math.floor(Date.parse(parsed.data) / MINUTE) * MINUTE
}

const refused = (name: string, msg: string) =>
  new Failure('invalid', [{ loc: ['query', name], msg, type: 'value_error' }])
