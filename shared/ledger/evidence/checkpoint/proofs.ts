// Inclusion and consistency proofs: created as in RFC 6962, section 2.1, verified as in RFC 9162, sections 2.1.3.2 and
// 2.1.4.2. A proof is a list of hashes; verifying one needs only a trusted root.
import { sameBytes } from '../../../base/lib/json.ts'
import { append, nodeHash, rootOf, type Frontier } from '../chain/merkle.ts'

type Hashes = readonly Uint8Array[]

/** The largest power of two below `size` (at least 2), where the tree is split. */
const split = (size: number): number => 2 ** Math.floor(Math.log2(size - 1))

function root(leaves: Hashes): Uint8Array {
  return rootOf(leaves.reduce<Frontier>((frontier, leaf, size) => append(frontier, size, leaf), []))
}

/** A tree whose leaves before `size` are known only by their frontier. */
export type Tree = { size: number; frontier: Frontier; leaves: Hashes }

/**
 * The sibling hashes from leaf `index` to the root, nearest first. The leaf must be one of `leaves`, so that every sibling
 * can be computed from the leaves and the frontier.
 */
export function inclusionProof(tree: Tree, index: number): Uint8Array[] {
  const end = tree.size + tree.leaves.length
  if (index < tree.size || index >= end) throw new RangeError('the tree does not hold this leaf')
  return pathTo(subtreesOf(tree), index, 0, end)
}

type RootOfRange = (from: number, to: number) => Uint8Array

function pathTo(subtree: RootOfRange, index: number, from: number, to: number): Uint8Array[] {
  if (to - from === 1) return []
  const middle = from + split(to - from)
  return index < middle
    ? [...pathTo(subtree, index, from, middle), subtree(middle, to)]
    : [...pathTo(subtree, index, middle, to), subtree(from, middle)]
}

/** The roots of the subtrees that a path may need. */
function subtreesOf({ size, frontier, leaves }: Tree): RootOfRange {
  const before = new Map<number, Uint8Array>() // the complete subtrees before `size`, by their first leaf
  let start = 0
  for (const hash of frontier) {
    before.set(start, hash)
    start += 2 ** Math.floor(Math.log2(size - start))
  }
  const subtree: RootOfRange = (from, to) => {
    if (from >= size) return root(leaves.slice(from - size, to - size))
    const known = to <= size ? before.get(from) : undefined
    if (known) return known
    const middle = from + split(to - from)
    return nodeHash(subtree(from, middle), subtree(middle, to))
  }
  return subtree
}

/** The proof that the tree of the first `size` leaves (at least 1) is a prefix of the tree of all `leaves`. */
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
