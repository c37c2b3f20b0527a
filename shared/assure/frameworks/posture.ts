// The posture of a framework, computed from its stored state. Pure, so that exports and the API show the same.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import type { FrameworkId } from '../catalogue/framework-ids.ts'
import { isEvidence } from '../submissions/link.ts'
import { assess, type Assessment, failsCritically } from './assess.ts'
import type { ControlStatus, FrameworkPosture, FrameworkStatus } from './control-view.ts'
import { meanOf, nextActions, scoreOf } from './next-actions.ts'
import type { FrameworkState, Point } from './state.ts'

const STALE_MS = 26 * 3_600_000
const ACTIONS_MAX = 10
const TREND_DAYS = 30
const EXPIRING_MS = 30 * DAY_MS

export type Figures = Pick<FrameworkPosture, 'status' | 'score' | 'controls_met' | 'controls_total'>

/** Of a framework that is enabled. */
export function figuresOf(state: FrameworkState, assessed: readonly Assessment[] = assess(state)): Figures {
  const met = countOf(assessed, 'met')
  const total = assessed.length - countOf(assessed, 'not_applicable')
  const failing = assessed.some(({ status, basis }) => status === 'not_met' && failsCritically(basis))
  const status: FrameworkStatus =
    met === total && total > 0 && !isStale(state) ? 'compliant' : failing ? 'non_compliant' : 'in_progress'
  return { status, score: scoreOf(assessed), controls_met: met, controls_total: total }
}

const countOf = (assessed: readonly Assessment[], wanted: ControlStatus): number =>
  assessed.filter(({ status }) => status === wanted).length

/** Without a full run in the last 26 hours, the figures may be out of date. */
const isStale = ({ standing, now }: FrameworkState): boolean =>
  standing?.last_run === undefined || now - Date.parse(standing.last_run.ended_at) > STALE_MS

/** `points` of the last 30 days, in any order. */
export function frameworkPosture(
  state: FrameworkState,
  points: readonly Pick<Point, 'date' | 'score'>[],
  assessed: readonly Assessment[] = assess(state),
): FrameworkPosture {
  const { framework_id: id, standing } = state
  const { name, group } = aboutFramework(id)
  const counted = assessed.filter(({ status }) => status !== 'not_applicable')
  return {
    id,
    name,
    group,
    ...figuresOf(state, assessed),
    controls_partially_met: countOf(counted, 'partially_met'),
    controls_not_met: countOf(counted, 'not_met'),
    controls_not_assessed: countOf(counted, 'not_assessed'),
    controls_not_applicable: assessed.filter(({ in_scope, justification }) => in_scope && justification).length,
    controls_out_of_scope: assessed.filter(({ in_scope }) => !in_scope).length,
    families: familiesOf(id, counted),
    ...checksIn(counted),
    evidence_expiring_30d: expiring(counted, state.now),
    last_run_at: standing?.last_run?.ended_at ?? null,
    stale: isStale(state),
    trend: trendOf(points, state.now),
    next_actions: nextActions(id, assessed).slice(0, ACTIONS_MAX),
  }
}

const familiesOf = (id: FrameworkId, counted: readonly Assessment[]): FrameworkPosture['families'] =>
  aboutFramework(id).families.map((family) => {
    const within = counted.filter(({ control }) => control.family === family.id)
    return {
      id: family.id,
      title: family.title,
      met: countOf(within, 'met'),
      partially_met: countOf(within, 'partially_met'),
      not_met: countOf(within, 'not_met'),
      not_assessed: countOf(within, 'not_assessed'),
    }
  })

function checksIn(counted: readonly Assessment[]): Pick<FrameworkPosture, 'failing_checks' | 'checks_without_data'> {
  const statuses = new Map(
    counted.flatMap(({ basis }) => basis.checks.map((one) => [one.check_id, one.status] as const)),
  )
  const ids = (...wanted: string[]) => [...statuses].filter(([, status]) => wanted.includes(status)).map(([id]) => id)
  return { failing_checks: ids('fail').toSorted(), checks_without_data: ids('no_data', 'error').length }
}

/** Pieces, not links: one may serve many controls. */
function expiring(counted: readonly Assessment[], now: number): number {
  const until = iso(now + EXPIRING_MS)
  const soon = counted.flatMap(({ links }) => links.filter((link) => isEvidence(link) && link.valid_until <= until))
  return new Set(soon.map(({ evidence_id }) => evidence_id)).size
}

/** The first and the last day of the trend: 30 days, today included. */
export function trendDays(now: number): string[] {
  return Array.from({ length: TREND_DAYS }, (_, index) => iso(now - (TREND_DAYS - 1 - index) * DAY_MS).slice(0, 10))
}

function trendOf(points: readonly Pick<Point, 'date' | 'score'>[], now: number): FrameworkPosture['trend'] {
  const scores = new Map(points.map(({ date, score }) => [date, score]))
  return trendDays(now).map((date) => ({ date, score: scores.get(date) ?? null }))
}

/** The mean of the core frameworks; of the others only where none of the core is enabled. */
export function overallScore(postures: readonly Pick<FrameworkPosture, 'group' | 'score'>[]): number {
  const core = postures.filter(({ group }) => group === 'core')
  return meanOf((core.length > 0 ? core : postures).map(({ score }) => score))
}
