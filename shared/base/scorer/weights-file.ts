// A linear model and its file: a line of JSON that describes it, then the weights that are not 0, in base64. Their bytes are all indices
// (16 bits each) and then all weights (32-bit floats), both little-endian.
import * as z from 'zod'
import { sha256Hex } from '../lib/json.ts'
import { type Features, featuresOf, WEIGHTS } from './features.ts'

export const WEIGHTS_FORMAT = 'countersign-linear-1'
const INDEX_BYTES = 2
const ENTRY_BYTES = 6

const Header = z.strictObject({
  format: z.literal(WEIGHTS_FORMAT),
  type: z.enum(['approval', 'preference']),
  weights: z.literal(WEIGHTS),
  nonzero: z.int().min(0).max(WEIGHTS),
  bias: z.number(),
})

export type ModelType = z.output<typeof Header>['type']

/** Weights that are 0 are left out; the others are rounded to 32 bits. */
export function writeWeights(type: ModelType, { weights, bias }: Linear): string {
  const entries = [...Float32Array.from(weights).entries()].filter(([, weight]) => weight !== 0)
  const bytes = Buffer.alloc(entries.length * ENTRY_BYTES)
  entries.forEach(([index, weight], at) => {
    bytes.writeUInt16LE(index, at * INDEX_BYTES)
    bytes.writeFloatLE(weight, entries.length * INDEX_BYTES + at * (ENTRY_BYTES - INDEX_BYTES))
  })
  const header = { format: WEIGHTS_FORMAT, type, weights: WEIGHTS, nonzero: entries.length, bias }
  return `${JSON.stringify(header)}\n${bytes.toString('base64')}\n`
}

/** Refuses a file that is not byte for byte the one whose SHA-256 (hex) was recorded. */
export function readWeights(file: string, sha256: string): Linear & { type: ModelType } {
  if (sha256Hex(file) !== sha256) throw new Error('the weights are not those that were recorded')
  const [head = '', body = ''] = file.split('\n')
  const { type, bias, nonzero } = Header.parse(JSON.parse(head))
  const bytes = Buffer.from(body, 'base64')
  if (bytes.length !== nonzero * ENTRY_BYTES) throw new Error('the weights are cut off')
  const weights = new Float32Array(WEIGHTS)
  for (let at = 0; at < nonzero; at += 1) {
    const offset = nonzero * INDEX_BYTES + at * (ENTRY_BYTES - INDEX_BYTES)
    weights[bytes.readUInt16LE(at * INDEX_BYTES)] = bytes.readFloatLE(offset)
  }
  return { type, bias, weights }
}

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
