// Logistic regression with AdaGrad. The same rows, seed and settings give the same weights to the last bit.
import { WEIGHTS } from '../../../base/scorer/features.ts'
import { type Linear, sigmoid } from '../../../base/scorer/weights-file.ts'
import { logLoss } from '../metrics/measure.ts'
import type { Hyperparameters } from '../trainer.ts'
import type { Matrix } from './matrix.ts'

/** Where the sums of squared gradients start, so that the first step is finite. */
const G_START = 1e-8

/** `loss`: the mean of the epoch, as it was met row by row. */
export type Epoch = { epoch: number; loss: number; model: Linear }

type State = { weights: Float64Array; squares: Float64Array; bias: number; biasSquares: number }

/** Gives back control after each epoch, with the model so far; the last one is the result. */
export function* fit(matrix: Matrix, settings: Hyperparameters): Generator<Epoch, Linear> {
  const random = mulberry32(settings.seed)
  const order = Uint32Array.from({ length: matrix.rows }, (_, row) => row)
  const state: State = {
    weights: new Float64Array(WEIGHTS),
    squares: new Float64Array(WEIGHTS).fill(G_START),
    bias: 0,
    biasSquares: G_START,
  }
  for (let epoch = 1; epoch <= settings.epochs; epoch += 1) {
    shuffle(order, random)
    yield { epoch, loss: pass(matrix, order, state, settings), model: state }
  }
  return { weights: state.weights, bias: state.bias }
}

function pass(matrix: Matrix, order: Uint32Array, state: State, settings: Hyperparameters): number {
  let sum = 0
  let weight = 0
  for (let at = 0; at < order.length; at += 1) {
    const row = order[at] ?? 0
    const w = matrix.weights[row] ?? 0
    sum += w * step(matrix, row, state, settings)
    weight += w
  }
  return weight > 0 ? sum / weight : 0
}

/** Learns one row; its loss before that. */
function step(matrix: Matrix, row: number, state: State, { learning_rate: lr, l2 }: Hyperparameters): number {
  const { indices, values } = matrix
  const { weights, squares } = state
  const from = matrix.starts[row] ?? 0
  const to = matrix.starts[row + 1] ?? 0
  const y = matrix.y[row] ?? 0
  let logit = state.bias
  for (let at = from; at < to; at += 1) logit += (weights[indices[at] ?? 0] ?? 0) * (values[at] ?? 0)
  const p = sigmoid(logit)
  const d = (matrix.weights[row] ?? 0) * (p - y)
  for (let at = from; at < to; at += 1) {
    const index = indices[at] ?? 0
    const weight = weights[index] ?? 0
    const gradient = d * (values[at] ?? 0) + l2 * weight
    const square = (squares[index] ?? 0) + gradient * gradient
    squares[index] = square
    weights[index] = weight - (lr * gradient) / Math.sqrt(square)
  }
  state.biasSquares += d * d
  state.bias -= (lr * d) / Math.sqrt(state.biasSquares)
  return logLoss(p, y)
}

/** Random numbers from 0 up to and without 1, the same for the same seed everywhere (mulberry32, in the public domain). */
export function mulberry32(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Fisher and Yates, from the end. */
function shuffle(order: Uint32Array, random: () => number): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const kept = order[at] ?? 0
    order[at] = order[other] ?? 0
    order[other] = kept
  }
}
