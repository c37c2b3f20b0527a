// Population stability index: how far the distribution of a number has moved since an earlier window. And calibration: how well
// stated probabilities agree with the outcomes.

const BINS = 10
/** An empty bin counts as this share, since the index takes its logarithm. */
const SHARE_MIN = 1e-4
const DRIFTS_ABOVE = 0.2
/** With fewer values the index passes its threshold by chance. */
const VALUES_MIN = 200

/** How values were distributed. `edges`: the nine deciles, ascending; a value on an edge belongs to the bin after it. */
export type Distribution = { n: number; edges: number[]; counts: number[] }
export type Drift = { psi: number; n: number; former_n: number; drifted: boolean }

/** The distribution of values over bins at their own deciles. */
export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b)
  const edges =
    sorted.length === 0
      ? []
      : Array.from({ length: BINS - 1 }, (_, index) => sorted[Math.floor(((index + 1) * sorted.length) / BINS)] ?? 0)
  return { n: values.length, edges, counts: countsIn(edges, values) }
}

function countsIn(edges: readonly number[], values: readonly number[]): number[] {
  const counts = Array.from({ length: edges.length + 1 }, () => 0)
  for (const value of values) {
    const bin = edges.findLastIndex((edge) => edge <= value) + 1
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return counts
}

/** The index of two counts over the same bins. */
export function stabilityIndex(former: readonly number[], now: readonly number[]): number {
  const [before, after] = [sharesOf(former), sharesOf(now)]
  return before.reduce((sum, share, index) => {
    const other = after[index] ?? SHARE_MIN
    return sum + (other - share) * Math.log(other / share)
  }, 0)
}

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => Math.max(SHARE_MIN, total === 0 ? 0 : count / total))
}

/** How far `values` have moved from a former distribution; null where one side has no values. */
export function driftFrom(former: Distribution, values: readonly number[]): Drift | null {
  if (former.n === 0 || values.length === 0) return null
  const psi = stabilityIndex(former.counts, countsIn(former.edges, values))
  const isEnough = Math.min(former.n, values.length) >= VALUES_MIN
  return { psi, n: values.length, former_n: former.n, drifted: isEnough && psi > DRIFTS_ABOVE }
}

export type Judged = { probability: number; happened: boolean }
type Bin = { from: number; n: number; mean: number | null; rate: number | null }
/** How well stated probabilities agree with the outcomes. A figure without measurements is null. */
export type Calibration = { n: number; brier: number | null; ece: number | null; bins: Bin[] }

/** Brier score and expected calibration error over ten equal bins. */
export function calibrationOf(judged: readonly Judged[]): Calibration {
  const bins = Array.from({ length: BINS }, (_, index) => binOf(judged, index))
  const n = judged.length
  if (n === 0) return { n, brier: null, ece: null, bins }
  const brier = judged.reduce((sum, { probability, happened }) => sum + (probability - Number(happened)) ** 2, 0) / n
  const ece = bins.reduce((sum, bin) => sum + (bin.n / n) * Math.abs((bin.mean ?? 0) - (bin.rate ?? 0)), 0)
  return { n, brier, ece, bins }
}

function binOf(judged: readonly Judged[], index: number): Bin {
  const inside = judged.filter(({ probability }) => Math.min(BINS - 1, Math.floor(probability * BINS)) === index)
  const mean = (values: readonly number[]) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    from: index / BINS,
    n: inside.length,
    mean: mean(inside.map(({ probability }) => probability)),
    rate: mean(inside.map(({ happened }) => Number(happened))),
  }
}
