// The features of an action: its tokens, hashed into a fixed number of weights.
import { fnv1a } from './fnv.ts'
import { eachToken } from './tokens.ts'

export const WEIGHTS = 65_536

/** A sparse vector, with ascending indices. */
export type Features = { indices: Uint16Array; values: Float64Array }

export function featuresOf(context: string, payload: unknown): Features {
  const sums = new Map<number, number>()
  let former = ''
  let start = fnv1a('')
  eachToken(context, payload, (path, rest) => {
    if (path !== former) start = fnv1a(path)
    former = path
    const hash = fnv1a(rest, start)
    const index = hash & (WEIGHTS - 1)
    // A sign for each token, from the top bit: tokens that share an index cancel out on average.
    sums.set(index, (sums.get(index) ?? 0) + (hash < 0 ? -1 : 1))
  })
  return unit(sums)
}

/** Of length 1, so that a long payload does not weigh more than a short one. */
function unit(sums: Map<number, number>): Features {
  const features = sparse(sums)
  let squares = 0
  for (const value of features.values) squares += value * value
  const length = Math.sqrt(squares) || 1
  for (let at = 0; at < features.values.length; at += 1) features.values[at] = (features.values[at] ?? 0) / length
  return features
}

function sparse(sums: Map<number, number>): Features {
  const indices = new Uint16Array(sums.size)
  let at = 0
  for (const index of sums.keys()) indices[at++] = index
  indices.sort()
  const values = new Float64Array(indices.length)
  for (at = 0; at < indices.length; at += 1) values[at] = sums.get(indices[at] ?? 0) ?? 0
  return { indices, values }
}

/** The difference of two vectors. It is not brought to length 1: how far two actions differ is part of the comparison. */
export function minus(a: Features, b: Features): Features {
  const sums = new Map<number, number>()
  a.indices.forEach((index, at) => sums.set(index, a.values[at] ?? 0))
  b.indices.forEach((index, at) => sums.set(index, (sums.get(index) ?? 0) - (b.values[at] ?? 0)))
  return sparse(sums)
}
