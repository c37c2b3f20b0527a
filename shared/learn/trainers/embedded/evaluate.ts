// What a trained model is worth on rows that it has not seen. Predictions are those of the stored file, with its rounded weights.
import { logit, type Linear, sigmoid } from '../../../base/scorer/weights-file.ts'
import { gateOf, measure, type Prediction } from '../metrics/measure.ts'
import type { Known, LinearType } from '../rows/examples.ts'

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
