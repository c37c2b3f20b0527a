// The variance of the difference between two arms, by how their observations depend on each other.

/** The difference B - A, and its variance. */
export type Effect = { effect: number; variance: number }

const rateOf = ({ k, n }: Share) => (n === 0 ? 0 : k / n)

/** Independent observations: the variance under the pooled rate. */
export function independent(a: Share, b: Share): Effect {
  const effect = rateOf(b) - rateOf(a)
  if (a.n === 0 || b.n === 0) return { effect, variance: 0 }
  const pooled = (a.k + b.k) / (a.n + b.n)
  return { effect, variance: pooled * (1 - pooled) * (1 / a.n + 1 / b.n) }
}

/**
 * Observations that come in units (agents, users): those of one unit resemble each other, so the variance is that of the units.
 * Each list holds the units of one arm.
 */
export const clustered = (a: readonly Share[], b: readonly Share[]): Effect => ({
  effect: rateOf(total(b)) - rateOf(total(a)),
  variance: clusterVariance(a) + clusterVariance(b),
})

export const total = (units: readonly Share[]): Share =>
  units.reduce((sum, { n, k }) => ({ n: sum.n + n, k: sum.k + k }), { n: 0, k: 0 })

/** Variance of the rate of one arm: the ratio estimator over its units. 0 for fewer than two. */
export function clusterVariance(units: readonly Share[]): number {
  const sum = total(units)
  if (units.length < 2 || sum.n === 0) return 0
  const rate = rateOf(sum)
  const squares = units.reduce((squared, { n, k }) => squared + (k - rate * n) ** 2, 0)
  return ((units.length / (units.length - 1)) * squares) / sum.n ** 2
}

/** Pairs in which both arms were asked: how many there are, and in how many only A or only B was right. */
export type Pairs = { n: number; only_a: number; only_b: number }

export function paired({ n, only_a, only_b }: Pairs): Effect {
  if (n === 0) return { effect: 0, variance: 0 }
  const difference = only_b - only_a
  return { effect: difference / n, variance: (only_a + only_b - difference ** 2 / n) / n ** 2 }
}

const Z_95 = 1.959963984540054

export type Share = { n: number; k: number }
export type Interval = { lower: number; upper: number }

/**
 * 95 % score interval of the share `k` of `n` (Wilson 1927), which is right for small counts and for shares near 0 and 1; null
 * without any, because nothing is known then.
 */
export function wilson({ k, n }: Share): Interval | null {
  if (n === 0) return null
  const z2 = Z_95 * Z_95
  const rate = k / n
  const centre = rate + z2 / (2 * n)
  const spread = Z_95 * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n))
  const divisor = 1 + z2 / n
  return { lower: Math.max(0, (centre - spread) / divisor), upper: Math.min(1, (centre + spread) / divisor) }
}
