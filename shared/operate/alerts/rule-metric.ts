// What thresholds and absences may be about.
import { INDICATORS } from '../slos/indicator.ts'

/** Latencies: rules about them name a percentile. */
export const MS_METRICS: readonly string[] = ['governance_latency', 'end_to_end_latency']

/** Good and bad events of the indicators; `approvals_overdue` counts approvals that missed their SLA. */
const METRICS: ReadonlySet<string> = new Set([...INDICATORS, ...MS_METRICS, 'approvals_overdue', 'approvals_asked'])

const CUSTOM = /^custom\.[a-z][a-z0-9_]{0,40}$/

/** Names for which `isMetric` holds, as an expression. */
export const METRIC_PATTERN = `^(?:${[...METRICS].filter((name) => name !== 'custom').join('|')}|${CUSTOM.source.slice(1, -1)})$`

export const isMetric = (name: string): boolean => (METRICS.has(name) && name !== 'custom') || CUSTOM.test(name)
