import { describe, expect, test } from 'vitest'
import { append, type Frontier, leafHash, rootOf } from '../../../../../shared/ledger/evidence/chain/merkle.ts'
import {
  consistencyProof,
  includes,
  inclusionProof,
  isConsistent,
} from '../../../../../shared/ledger/evidence/checkpoint/proofs.ts'

const SIZES = Array.from({ length: 65 }, (_, index) => index + 1)
const leaves = SIZES.map((size) => leafHash(Buffer.from(`leaf ${size}`)))
const wrong = leafHash(Buffer.from('wrong'))
const first = (size: number) => leaves.slice(0, size)
const frontierOf = (size: number) =>
  first(size).reduce<Frontier>((frontier, leaf, at) => append(frontier, at, leaf), [])
const root = (size: number) => rootOf(frontierOf(size))
const roots = [root(0), ...SIZES.map(root)]
const rootAt = (size: number) => roots[size] ?? wrong

describe('inclusion', () => {
  test.each(SIZES)('every leaf of a tree of %i is proven, and no other leaf, root, place or cut proof is', (size) => {
    for (let index = 0; index < size; index += 1) {
      const proof = inclusionProof({ size: 0, frontier: [], leaves: first(size) }, index)
      const claim = { leaf: leaves[index] ?? wrong, index, size, root: rootAt(size), proof }

      expect(includes(claim)).toBe(true)
      expect(includes({ ...claim, leaf: wrong })).toBe(false)
      expect(includes({ ...claim, root: wrong })).toBe(false)
      expect(includes({ ...claim, index: index + 1 })).toBe(false)
      expect(includes({ ...claim, proof: [...proof, wrong] })).toBe(false)
      if (proof.length > 0) expect(includes({ ...claim, proof: proof.slice(0, -1) })).toBe(false)
    }
  })
})

describe('an inclusion proof from a frontier', () => {
  test.each(SIZES)('of any prefix of a tree of %i is the one from all leaves', (size) => {
    for (let known = 0; known < size; known += 1) {
      const tree = { size: known, frontier: frontierOf(known), leaves: leaves.slice(known, size) }
      for (const index of new Set([known, Math.floor((known + size) / 2), size - 1])) {
        const proof = inclusionProof(tree, index)

        expect(proof).toEqual(inclusionProof({ size: 0, frontier: [], leaves: first(size) }, index))
      }
    }
  })

  test('is only made for the leaves behind it', () => {
    const tree = { size: 4, frontier: frontierOf(4), leaves: leaves.slice(4, 8) }

    for (const index of [-1, 0, 3, 8]) expect(() => inclusionProof(tree, index)).toThrow(RangeError)
  })
})

describe('consistency', () => {
  test.each(SIZES)('a tree of %i extends every smaller one, and no other', (second) => {
    for (let size = 1; size <= second; size += 1) {
      const proof = consistencyProof(first(second), size)
      const claim = { first: size, firstRoot: rootAt(size), second, secondRoot: rootAt(second), proof }

      expect(isConsistent(claim)).toBe(true)
      expect(isConsistent({ ...claim, firstRoot: wrong })).toBe(false)
      expect(isConsistent({ ...claim, secondRoot: wrong })).toBe(false)
      expect(isConsistent({ ...claim, proof: [...proof, wrong] })).toBe(false)
      if (proof.length > 0) expect(isConsistent({ ...claim, proof: proof.slice(0, -1) })).toBe(false)
    }
  })

  test('nothing is consistent with a larger tree', () => {
    const claim = { first: 3, firstRoot: rootAt(3), second: 2, secondRoot: rootAt(2), proof: [] }
    expect(isConsistent(claim)).toBe(false)
  })
})
