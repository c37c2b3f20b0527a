import { type Features, featuresOf } from './features.ts'

/** A linear model in memory: one weight for each feature, and the bias. */
export type Linear = { weights: Float32Array | Float64Array; bias: number }

export function logit({ weights, bias }: Linear, { indices, values }: Features): number {
  let sum = bias
  for (let at = 0; at < indices.length; at += 1) sum += (weights[indices[at] ?? 0] ?? 0) * (values[at] ?? 0)
  return sum
}

export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** The probability that an action is approved, by an `approval` model. Redact the payload first, as the rows of training were. */
export const score = (model: Linear, context: string, payload: unknown): number =>
  sigmoid(logit(model, featuresOf(context, payload)))
