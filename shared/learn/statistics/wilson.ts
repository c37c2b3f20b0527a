// Score interval of a share (Wilson 1927), which holds for small counts and for shares near 0 and 1.

const Z_95 = 1.959963984540054

export type Share = { n: number; k: number }
export type Interval = { lower: number; upper: number }

/** 95 % interval of `k` of `n`; null without any, because nothing is known then. */
export function wilson({ k, n }: Share): Interval | null {
  if (n === 0) return null
  const z2 = Z_95 * Z_95
  const rate = k / n
  const centre = rate + z2 / (2 * n)
  const spread = Z_95 * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n))
  const divisor = 1 + z2 / n
  return { lower: Math.max(0, (centre - spread) / divisor), upper: Math.min(1, (centre + spread) / divisor) }
}
