// Always-valid inference: the mixture sequential probability ratio test (Johari, Pekelis, Walsh 2015, "Always valid inference").
// Its error rate holds at every look, however often somebody looks and whenever they stop.
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

// Tail probabilities of the normal distribution.

const TERMS_MAX = 200
const SERIES_BELOW = 3
const SMALLEST = 1e-17

/** Complementary error function, exact to 1e-12. */
function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x)
  return x < SERIES_BELOW ? 1 - erfBySeries(x) : erfcByFraction(x)
}

/** Maclaurin series. */
function erfBySeries(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; n < TERMS_MAX && Math.abs(term) > SMALLEST; n += 1) {
    term *= -(x * x) / n
    sum += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

/** Continued fraction, evaluated from its end. */
function erfcByFraction(x: number): number {
  let fraction = x
  for (let n = TERMS_MAX; n >= 1; n -= 1) fraction = x + n / 2 / fraction
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction)
}

/** Probability that a standard normal value lies at least as far from 0 as `z`. */
const twoSided = (z: number): number => erfc(Math.abs(z) / Math.SQRT2)

/** Probability that a chi-square value with one degree of freedom is at least `x`. */
const chiSquareTail = (x: number): number => erfc(Math.sqrt(x / 2))

const DETECTED_BELOW = 0.001

export type Ratio = { statistic: number; srm_p: number; srm_detected: boolean }

/**
 * Chi-square test of whether the units of a test are split as they should be. A wrong ratio means that something chooses which
 * units are counted.
 */
export function sampleRatio(units: { a: number; b: number }, split_b: number): Ratio {
  const total = units.a + units.b
  if (total === 0) return { statistic: 0, srm_p: 1, srm_detected: false }
  const expected = { a: total * (1 - split_b), b: total * split_b }
  const statistic = (units.a - expected.a) ** 2 / expected.a + (units.b - expected.b) ** 2 / expected.b
  const srm_p = chiSquareTail(statistic)
  return { statistic, srm_p, srm_detected: srm_p < DETECTED_BELOW }
}
