// Inclusion and consistency proofs: made as in RFC 6962, section 2.1, checked as in RFC 9162, section 2.1.3.2 and 2.1.4.2.
// A proof is a list of hashes; checking one needs a trusted root and nothing else.
import { sameBytes } from '../lib/hash.ts'
import { append, nodeHash, rootOf, type Frontier } from './merkle.ts'

type Hashes = readonly Uint8Array[]

/** The largest power of two below `size` (which is at least 2): where the tree divides. */
const split = (size: number): number => 2 ** Math.floor(Math.log2(size - 1))

function root(leaves: Hashes): Uint8Array {
  return rootOf(leaves.reduce<Frontier>((frontier, leaf, size) => append(frontier, size, leaf), []))
}

/** The sibling hashes on the way from leaf `index` to the root, nearest first. */
export function inclusionProof(leaves: Hashes, index: number): Uint8Array[] {
  if (leaves.length === 1) return []
  const half = split(leaves.length)
  const left = leaves.slice(0, half)
  const right = leaves.slice(half)
  return index < half
    ? [...inclusionProof(left, index), root(right)]
    : [...inclusionProof(right, index - half), root(left)]
}

/** What shows that the tree of the first `size` leaves (at least 1) is a prefix of the tree of all `leaves`. */
export const consistencyProof = (leaves: Hashes, size: number): Uint8Array[] => subproof(leaves, size, true)

function subproof(leaves: Hashes, size: number, known: boolean): Uint8Array[] {
  if (size === leaves.length) return known ? [] : [root(leaves)]
  const half = split(leaves.length)
  const left = leaves.slice(0, half)
  const right = leaves.slice(half)
  return size <= half
    ? [...subproof(left, size, known), root(right)]
    : [...subproof(right, size - half, false), root(left)]
}

type Inclusion = { leaf: Uint8Array; index: number; size: number; root: Uint8Array; proof: Hashes }

export function includes({ leaf, index, size, root: expected, proof }: Inclusion): boolean {
  if (index < 0 || index >= size) return false
  let at = index
  let last = size - 1
  let computed = leaf
  for (const sibling of proof) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      computed = nodeHash(sibling, computed)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      computed = nodeHash(computed, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameBytes(computed, expected)
}

type Consistency = { first: number; firstRoot: Uint8Array; second: number; secondRoot: Uint8Array; proof: Hashes }

export function isConsistent({ first, firstRoot, second, secondRoot, proof }: Consistency): boolean {
  if (first < 1 || first > second) return false
  if (first === second) return proof.length === 0 && sameBytes(firstRoot, secondRoot)
  const [start, ...siblings] = Number.isInteger(Math.log2(first)) ? [firstRoot, ...proof] : proof
  if (!start) return false
  let [at, last] = [first - 1, second - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  let [older, newer] = [start, start]
  for (const sibling of siblings) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      older = nodeHash(sibling, older)
      newer = nodeHash(sibling, newer)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      newer = nodeHash(newer, sibling)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameBytes(older, firstRoot) && sameBytes(newer, secondRoot)
}

const half = (number: number): number => Math.floor(number / 2)
