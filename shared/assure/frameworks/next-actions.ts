// The score of a framework, and the actions that raise it, each with its gain: the statuses are computed again as if the action
// were done. At most as many evaluations as there are checks and controls. Sums are of whole numbers and scores are kept in
// tenths, so that no two orders of adding differ.
import { CHECKS, SEVERITIES, type Severity } from '../catalogue/catalogue.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import type { FrameworkId } from '../catalogue/framework-ids.ts'
import { type Assessment, type Basis, statusOf } from './assess.ts'
import type { ControlStatus, NextAction } from './control-view.ts'

type Action = NextAction & { severity: Severity; id: string }

/** The one with the largest gain first. */
export function nextActions(framework: FrameworkId, controls: readonly Assessment[]): NextAction[] {
  const counted = controls.filter(({ status }) => status !== 'not_applicable')
  const gainOf = gainsOn(counted)
  return [...fixes(counted, gainOf), ...submissions(framework, counted, gainOf)]
    .filter(({ gain }) => gain > 0)
    .toSorted(byGain)
    .map(({ severity: _, id: __, ...action }) => action)
}

type Change = (basis: Basis) => Basis
type GainOf = (some: readonly Assessment[], change: Change) => { gain: number; risen: string[] }

/** By how much the score rises, exactly as it is shown, and which controls do. */
function gainsOn(counted: readonly Assessment[]): GainOf {
  const sum = sumOf(counted)
  const now = tenthsOf(sum)
  return (some, change) => {
    const after = some.map((one) => ({ ...one, status: statusOf(change(one.basis)) }))
    const rises = after.map((next, index) => halvesOf(next) - halvesOf(some[index] ?? next))
    const halves = rises.reduce((total, rise) => total + rise, sum.halves)
    const risen = after.filter((_, index) => (rises[index] ?? 0) > 0).map(({ control }) => control.id)
    return { gain: (tenthsOf({ ...sum, halves }) - now) / 10, risen }
  }
}

const passing =
  (check_id: string): Change =>
  (basis) => ({
    ...basis,
    checks: basis.checks.map((check) => (check.check_id === check_id ? { ...check, status: 'pass' } : check)),
  })

const evidenced: Change = (basis) => ({ ...basis, evidenced: true })

function fixes(counted: readonly Assessment[], gainOf: GainOf): Action[] {
  return CHECKS.flatMap(({ id, severity, remedy }) => {
    const failing = counted.filter(({ basis }) =>
      basis.checks.some(({ check_id, status }) => check_id === id && status === 'fail'),
    )
    if (failing.length === 0) return []
    const { gain, risen } = gainOf(failing, passing(id))
    return [{ action: 'fix_check', check_id: id, control_ids: risen, gain, text: `${remedy}.`, severity, id }]
  })
}

function submissions(framework: FrameworkId, counted: readonly Assessment[], gainOf: GainOf): Action[] {
  const { families } = aboutFramework(framework)
  return counted
    .filter(({ basis }) => !basis.evidenced)
    .map((one): Action => {
      const { id, family } = one.control
      const kinds = [...(families.find((each) => each.id === family)?.evidence ?? [])]
      const expired = one.links.some(
        ({ status, kind }) => status === 'expired' && kind !== 'not_applicable_justification',
      )
      const { gain } = gainOf([one], evidenced)
      return {
        action: expired ? 'renew_evidence' : 'submit_evidence',
        control_ids: [id],
        kinds,
        gain,
        text: `${expired ? 'Renew' : 'Submit'} ${kinds.join(' or ')} for ${id}.`,
        severity: one.severity,
        id,
      }
    })
}

function byGain(a: Action, b: Action): number {
  const bySeverity = SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity)
  return b.gain - a.gain || bySeverity || (a.id < b.id ? -1 : 1)
}

export const WEIGHTS: Record<Severity, number> = { critical: 3, high: 2, medium: 1 }

/** The worth of a status, in halves. */
const HALVES: Record<ControlStatus, number> = {
  met: 2,
  partially_met: 1,
  not_met: 0,
  not_assessed: 0,
  not_applicable: 0,
}

type Weighed = { severity: Severity; status: ControlStatus }

const halvesOf = ({ severity, status }: Weighed): number => WEIGHTS[severity] * HALVES[status]

/** `halves` of twice `weight`. */
export type Sum = { halves: number; weight: number }

/** Controls that are not applicable do not count. */
function sumOf(controls: readonly Weighed[]): Sum {
  const counted = controls.filter(({ status }) => status !== 'not_applicable')
  return {
    halves: counted.reduce((sum, one) => sum + halvesOf(one), 0),
    weight: counted.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0),
  }
}

/** In tenths of a percent, halves up; 0 when nothing counts. */
const tenthsOf = ({ halves, weight }: Sum): number =>
  weight === 0 ? 0 : Math.floor((1_000 * halves + weight) / (2 * weight))

/** 0 to 100 with one decimal. */
export const scoreOf = (controls: readonly Weighed[]): number => tenthsOf(sumOf(controls)) / 10

/** The mean of scores with one decimal, halves up; 0 of none. */
export function meanOf(scores: readonly number[]): number {
  const tenths = scores.reduce((sum, score) => sum + Math.round(score * 10), 0)
  return scores.length === 0 ? 0 : Math.floor((2 * tenths + scores.length) / (2 * scores.length)) / 10
}
