// The series that an indicator or a metric of a rule is made of: all of them, and those that count what is bad.
import { MS_EDGES } from '../../base/lib/histogram.ts'
import { LATENCY_MS, type Sli } from '../slos/slo.ts'

type Of = Pick<Sli, 'metric'> & Partial<Pick<Sli, 'name' | 'threshold_ms'>> & { of?: string }

const buckets = (letter: 'g' | 'e', from = 0) =>
  Array.from({ length: MS_EDGES.length + 1 - from }, (_, index) => `${letter}${index + from}`)

const RUNS = ['r.ok', 'r.failed', 'r.unknown']
const ENDS = ['a.approved', 'a.rejected', 'a.expired']

/** For an indicator with a filter, the series without it: its own cannot grow when these do not. */
export function anySeries({ metric, name = '', of }: Of): string[] {
  if (of === 'end_to_end_latency') return buckets('e')
  if (of === 'approvals_overdue') return ['a.sla_missed']
  if (of === 'approvals_asked') return ['a.asked']
  switch (metric) {
    case 'api_availability':
      return ['rq', 'rb']
    case 'governance_latency':
      return buckets('g')
    case 'execution_success':
      return RUNS
    case 'approval_timeliness':
      return ENDS
    case 'webhook_delivery':
      return ['dl_ok', 'dl_bad']
    case 'evidence_integrity':
      return ['v.ok', 'v.bad']
    case 'training_success':
      return ['j.ok', 'j.bad']
    case 'sync_success':
      return []
    case 'custom':
      return [`c.${name}.t`]
    default:
      return metric satisfies never
  }
}

/** Buckets with values above so many ms: a percentile cannot be higher than every value. */
export function slowSeries(of: Of, ms: number): string[] {
  const letter = of.of === 'end_to_end_latency' ? 'e' : of.metric === 'governance_latency' ? 'g' : undefined
  const edge = MS_EDGES.findIndex((one) => one > ms)
  return letter ? buckets(letter, edge < 0 ? MS_EDGES.length : edge) : anySeries(of)
}

/** An approval that was late, or a custom event that was bad, has no series of its own: any may be one. */
export function badSeries(of: Of): string[] {
  if (of.of !== undefined) return anySeries(of)
  switch (of.metric) {
    case 'api_availability':
      return ['rb']
    case 'governance_latency':
      return buckets('g', MS_EDGES.findIndex((edge) => edge === (of.threshold_ms ?? LATENCY_MS)) + 1)
    case 'execution_success':
      return ['r.failed', 'r.unknown']
    case 'webhook_delivery':
      return ['dl_bad']
    case 'evidence_integrity':
      return ['v.bad']
    case 'training_success':
      return ['j.bad']
    default:
      return anySeries(of)
  }
}
