// How well stated probabilities agree with what happened.

const BINS = 10

export type Judged = { probability: number; happened: boolean }
type Bin = { from: number; n: number; mean: number | null; rate: number | null }
/** Everything is null that nothing was measured for. */
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
