// Rows of training in flat typed arrays (arrays of pairs took four times as long), and the evaluation of a model on rows that it has
// not seen. Predictions are those of the stored file, with its rounded weights.
import type { Features } from '../../../base/scorer/features.ts'
import { type Linear, logit, sigmoid } from '../../../base/scorer/weights-file.ts'
import { gateOf, measure, type Prediction } from '../metrics/measure.ts'
import type { Known, LinearType } from '../rows/examples.ts'

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

type Input = {
  type: LinearType
  model: Linear
  train: readonly Known[]
  test: readonly Known[]
  losses: readonly number[]
}

export function evaluate({ type, model, train, test, losses }: Input) {
  const predictions = test.map((row) => predict(model, row))
  const rate = train.length === 0 ? 0.5 : train.filter(({ y }) => y === 1).length / train.length
  const judged = measure(
    predictions.filter((one) => one.judged),
    rate,
  )
  const metrics = {
    train: {
      rows: train.length,
      loss: measure(
        train.map((row) => predict(model, row)),
        rate,
      ).log_loss,
    },
    test: measure(predictions, rate),
    judged,
    pairwise_accuracy: type === 'preference' ? inOrder(predictions) : null,
    loss_curve: [...losses],
    features_nonzero: [...model.weights].filter((weight) => weight !== 0).length,
  }
  return { metrics, gate: gateOf(judged), predictions }
}

export const predict = (model: Linear, { features, y, judged }: Known): Prediction => ({
  p: sigmoid(logit(model, features)),
  y,
  judged,
})

/** The share of pairs whose preferred side scores higher; null without pairs. */
function inOrder(predictions: readonly Prediction[]): number | null {
  const pairs = predictions.filter(({ y }) => y === 1)
  return pairs.length === 0 ? null : pairs.filter(({ p }) => p > 0.5).length / pairs.length
}
