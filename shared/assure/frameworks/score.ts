// The arithmetic of scores. Sums are of whole numbers and scores are kept in tenths, so that no two orders of adding differ.
import type { Severity } from '../catalogue/catalogue.ts'
import type { ControlStatus } from './control-view.ts'

export const WEIGHTS: Record<Severity, number> = { critical: 3, high: 2, medium: 1 }

/** What a status is worth, in halves. */
const HALVES: Record<ControlStatus, number> = {
  met: 2,
  partially_met: 1,
  not_met: 0,
  not_assessed: 0,
  not_applicable: 0,
}

type Weighed = { severity: Severity; status: ControlStatus }

export const halvesOf = ({ severity, status }: Weighed): number => WEIGHTS[severity] * HALVES[status]

/** `halves` of twice `weight`. */
export type Sum = { halves: number; weight: number }

/** Over the controls that count; those that are not applicable do not. */
export function sumOf(controls: readonly Weighed[]): Sum {
  const counted = controls.filter(({ status }) => status !== 'not_applicable')
  return {
    halves: counted.reduce((sum, one) => sum + halvesOf(one), 0),
    weight: counted.reduce((sum, { severity }) => sum + WEIGHTS[severity], 0),
  }
}

/** In tenths of a percent, halves up; 0 when nothing counts. */
export const tenthsOf = ({ halves, weight }: Sum): number =>
  weight === 0 ? 0 : Math.floor((1_000 * halves + weight) / (2 * weight))

/** 0 to 100 with one decimal. */
export const scoreOf = (controls: readonly Weighed[]): number => tenthsOf(sumOf(controls)) / 10

/** Of scores with one decimal, halves up; 0 of none. */
export function meanOf(scores: readonly number[]): number {
  const tenths = scores.reduce((sum, score) => sum + Math.round(score * 10), 0)
  return scores.length === 0 ? 0 : Math.floor((2 * tenths + scores.length) / (2 * scores.length)) / 10
}
