// The words of a payload as hashes, by which two payloads are compared: their share of equal words, and a fingerprint of 64 bits of
// which nearly equal payloads share almost all (SimHash, Charikar 2002).
import { fnv1a } from '../../base/scorer/features.ts'
import type { Json } from '../../base/lib/json.ts'
import type { SimHash } from './sample.ts'

const FEATURES_MAX = 512
const WORD = /\p{L}+|\p{Nd}+/gu

/** Sorted, each once. Of a larger payload the smallest hashes, which are as good as a random part of it. */
export function featuresOf(payload: Json): Uint32Array {
  const hashes = new Set<number>()
  collect('', payload, hashes)
  return Uint32Array.from(hashes).toSorted().subarray(0, FEATURES_MAX)
}

function collect(path: string, value: Json | undefined, hashes: Set<number>): void {
  if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value)
    if (isList) hashes.add(mixed(`${path}#${value.length}`))
    for (const [name, member] of Object.entries(value)) collect(isList ? path : `${path}/${name}`, member, hashes)
    return
  }
  if (typeof value !== 'string') return void hashes.add(mixed(`${path}=${String(value)}`))
  let former = ''
  for (const [word] of value.normalize('NFKC').toLowerCase().matchAll(WORD)) {
    hashes.add(mixed(`${path}:${former} ${word}`))
    former = word
  }
}

/** FNV leaves the first bits of short texts alike; the finaliser of MurmurHash3 spreads them. */
const mixed = (text: string): number => spread(fnv1a(text))

function spread(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

const SECOND_HALF = 0x9e3779b9

export function simHash(features: Uint32Array): SimHash {
  const votes = new Int32Array(64)
  for (const feature of features) {
    const second = spread(feature ^ SECOND_HALF)
    for (let bit = 0; bit < 32; bit += 1) {
      votes[bit] = (votes[bit] ?? 0) + (((feature >>> bit) & 1) * 2 - 1)
      votes[32 + bit] = (votes[32 + bit] ?? 0) + (((second >>> bit) & 1) * 2 - 1)
    }
  }
  const half = (from: number) => {
    let bits = 0
    for (let bit = 0; bit < 32; bit += 1) if ((votes[from + bit] ?? 0) > 0) bits |= 1 << bit
    return bits >>> 0
  }
  return [half(0), half(32)]
}

/** In how many of the 64 bits they differ. */
export const distance = (a: SimHash, b: SimHash): number => ones(a[0] ^ b[0]) + ones(a[1] ^ b[1])

function ones(bits: number): number {
  let left = bits >>> 0
  let count = 0
  for (; left !== 0; left &= left - 1) count += 1
  return count
}

/** The equal ones among all of both: from 0 to 1. */
export function jaccard(a: Uint32Array, b: Uint32Array): number {
  let [i, j, both] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const [x = 0, y = 0] = [a[i], b[j]]
    if (x === y) both += 1
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  const all = a.length + b.length - both
  return all === 0 ? 1 : both / all
}
