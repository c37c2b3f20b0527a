// Always-valid inference: the mixture sequential probability ratio test (Johari, Pekelis, Walsh 2015, "Always valid inference").
// Its error rate holds at every look, however often somebody looks and whenever they stop.
import { twoSided } from './normal.ts'
import type { Effect } from './variance.ts'

/** Variance of the normal mixture over effects: effects of about five points are found soonest. */
const MIXTURE = 0.05 ** 2

/** Evidence against "no difference". Without any variance nothing is known. */
export function likelihoodRatio({ effect, variance }: Effect): number {
  if (variance <= 0) return 1
  const sum = variance + MIXTURE
  return Math.sqrt(variance / sum) * Math.exp((MIXTURE * effect ** 2) / (2 * variance * sum))
}

/** The p-value after another look: the smallest of all looks. Begins at 1. */
export const nextP = (former: number, seen: Effect): number => Math.min(former, 1, 1 / likelihoodRatio(seen))

export type Bounds = { lower: number; upper: number }

/** Holds the true effect at all looks together with probability 1 - alpha; null without any variance. */
export function confidenceSequence({ effect, variance }: Effect, alpha: number): Bounds | null {
  if (variance <= 0) return null
  const sum = variance + MIXTURE
  const half = Math.sqrt(((variance * sum) / MIXTURE) * Math.log(sum / (variance * alpha ** 2)))
  return { lower: effect - half, upper: effect + half }
}

/** The usual test, reported beside the other one. It decides nothing, because it errs more often the more often one looks. */
export function zTest({ effect, variance }: Effect): { z: number; p_value: number } | null {
  if (variance <= 0) return null
  const z = effect / Math.sqrt(variance)
  return { z, p_value: twoSided(z) }
}
