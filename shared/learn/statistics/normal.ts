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
export const twoSided = (z: number): number => erfc(Math.abs(z) / Math.SQRT2)

/** Probability that a chi-square value with one degree of freedom is at least `x`. */
export const chiSquareTail = (x: number): number => erfc(Math.sqrt(x / 2))
