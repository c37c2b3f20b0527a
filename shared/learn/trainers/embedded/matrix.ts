// Rows of training in flat typed arrays: arrays of pairs took four times as long.
import type { Features } from '../../../base/scorer/features.ts'

/** `y`: 1 chosen, 0 rejected. `weight`: how sure that is. */
export type Example = { features: Features; y: 0 | 1; weight: number }

/** Row `r` has the entries from `starts[r]` up to and without `starts[r + 1]`. */
export type Matrix = {
  rows: number
  starts: Uint32Array
  indices: Uint16Array
  values: Float64Array
  y: Uint8Array
  weights: Float64Array
}

export function matrixOf(examples: readonly Example[]): Matrix {
  const starts = new Uint32Array(examples.length + 1)
  examples.forEach(({ features }, row) => (starts[row + 1] = (starts[row] ?? 0) + features.indices.length))
  const entries = starts[examples.length] ?? 0
  const matrix: Matrix = {
    rows: examples.length,
    starts,
    indices: new Uint16Array(entries),
    values: new Float64Array(entries),
    y: Uint8Array.from(examples, ({ y }) => y),
    weights: Float64Array.from(examples, ({ weight }) => weight),
  }
  examples.forEach(({ features }, row) => {
    matrix.indices.set(features.indices, starts[row])
    matrix.values.set(features.values, starts[row])
  })
  return matrix
}
