// The queue of a space's runs as values: what follows an open run, and when the next manual one may be asked for. Pure.
import { HOUR_MS, iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { RunAsk, RunScope, RunTrigger } from './run.ts'

export const MANUAL_PER_HOUR = 6

/** Throws 429 for one more than an hour allows. Returns what to keep of the last hour, with this one. */
export function countManual(manual_at: readonly string[], now: number): string[] {
  const recent = manual_at.filter((at) => Date.parse(at) > now - HOUR_MS)
  const [first] = recent.slice(-MANUAL_PER_HOUR)
  if (first === undefined || recent.length < MANUAL_PER_HOUR) return [...recent, iso(now)]
  const seconds = Math.ceil((Date.parse(first) + HOUR_MS - now) / 1_000)
  throw new Failure(
    'rate_limited',
    `You can start ${MANUAL_PER_HOUR} runs of checks within an hour. Retry in ${seconds} seconds; the schedule runs all checks once a day.`,
    { retryAfterSeconds: seconds },
  )
}

/** The one run that does what two were asked for. */
export function merged(was: RunAsk | undefined, ask: RunAsk): RunAsk {
  if (!was) return ask
  const first = rank(was.trigger) >= rank(ask.trigger) ? was : ask
  return {
    trigger: first.trigger,
    requested_by: first.requested_by,
    id: was.id ?? ask.id,
    scope: union(was.scope, ask.scope),
    export_ids: [...new Set([...was.export_ids, ...ask.export_ids])],
  }
}

/** The later in this list decides what a run of both leaves behind. */
const RANKS: readonly RunTrigger[] = ['schedule', 'evidence', 'manual', 'export', 'enable']
const rank = (trigger: RunTrigger): number => RANKS.indexOf(trigger)

/** Two that differ in any way but their ids become a full run: it costs little more. */
function union(a: RunScope, b: RunScope): RunScope {
  if (a === b) return a
  return typeof a === 'string' || typeof b === 'string' ? 'full' : [...new Set([...a, ...b])]
}
