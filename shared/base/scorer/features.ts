// The features of an action: its tokens, hashed into a fixed number of weights.
import { eachToken } from './tokens.ts'

export const WEIGHTS = 65_536

/** A sparse vector, with ascending indices. */
export type Features = { indices: Uint16Array; values: Float64Array }

export function featuresOf(context: string, payload: unknown): Features {
  const found: number[] = []
  eachToken(context, payload, (hash) => void found.push(((hash & (WEIGHTS - 1)) << 1) | (hash >>> 31)))
  return unit(counted(Int32Array.from(found).sort()))
}

/** The index of each token, followed by one bit for its sign: tokens that share an index cancel out on average. */
function counted(sorted: Int32Array): Features {
  const indices = new Uint16Array(sorted.length)
  const values = new Float64Array(sorted.length)
  let last = -1
  for (let at = 0; at < sorted.length; at += 1) {
    const entry = sorted[at] ?? 0
    if (last < 0 || indices[last] !== entry >> 1) last += 1
    indices[last] = entry >> 1
    values[last] = (values[last] ?? 0) + (entry & 1 ? -1 : 1)
  }
  return { indices: indices.subarray(0, last + 1), values: values.subarray(0, last + 1) }
}

/** Of length 1, so that a long payload does not weigh more than a short one. */
function unit({ indices, values }: Features): Features {
  let squares = 0
  for (const value of values) squares += value * value
  const length = Math.sqrt(squares) || 1
  for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / length
  return { indices, values }
}

/** The difference of two vectors. It is not brought to length 1: how far two actions differ is part of the comparison. */
export function minus(a: Features, b: Features): Features {
  const sums = new Map<number, number>()
  a.indices.forEach((index, at) => sums.set(index, a.values[at] ?? 0))
  b.indices.forEach((index, at) => sums.set(index, (sums.get(index) ?? 0) - (b.values[at] ?? 0)))
  const indices = Uint16Array.from(sums.keys()).sort()
  return { indices, values: Float64Array.from(indices, (index) => sums.get(index) ?? 0) }
}
