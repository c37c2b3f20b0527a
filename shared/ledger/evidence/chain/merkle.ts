// The Merkle tree of RFC 6962, section 2.1, stored as its frontier: the roots of its complete subtrees, largest first. These
// at most log2(n) hashes suffice to append to the tree and to compute its root.
import { sha256 } from '../../../base/lib/json.ts'

export type Frontier = readonly Uint8Array[]

const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

export const EMPTY_ROOT: Buffer = sha256('')

export const leafHash = (data: Uint8Array): Buffer => sha256(Buffer.concat([LEAF, data]))
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([NODE, left, right]))

/** The frontier after one more leaf hash. `size` is the number of leaves before it. */
export function append(frontier: Frontier, size: number, leaf: Uint8Array): Frontier {
  const next = [...frontier]
  let subtree = leaf
  // Each trailing 1 bit of the size is a complete subtree that the new leaf merges with.
  for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    const left = next.pop()
    if (!left) throw new RangeError('the frontier does not belong to a tree of this size')
    subtree = nodeHash(left, subtree)
  }
  next.push(subtree)
  return next
}

export function rootOf(frontier: Frontier): Uint8Array {
  const last = frontier.at(-1)
  if (!last) return EMPTY_ROOT
  return frontier.slice(0, -1).reduceRight<Uint8Array>((right, left) => nodeHash(left, right), last)
}
