import { describe, expect, test } from 'vitest'
import { hex } from '../../../../../shared/ledger/evidence/artifact/hashes.ts'
import {
  append,
  EMPTY_ROOT,
  type Frontier,
  leafHash,
  nodeHash,
  rootOf,
} from '../../../../../shared/ledger/evidence/chain/merkle.ts'

// Reference leaves and roots of Certificate Transparency's RFC 6962 implementations.
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const leaf = (index: number) => leafHash(Buffer.from(`leaf ${index}`))

describe('RFC 6962', () => {
  test('the root of nothing is the hash of nothing', () => {
    expect(hex(EMPTY_ROOT)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hex(rootOf([]))).toBe(hex(EMPTY_ROOT))
  })

  test('the eight reference leaves give the eight reference roots', () => {
    let frontier: Frontier = []
    const roots = LEAVES.map((data, size) => {
      frontier = append(frontier, size, leafHash(Buffer.from(data, 'hex')))
      return hex(rootOf(frontier))
    })

    expect(roots).toEqual(ROOTS)
  })
})

/** The definition of section 2.1, word for word. */
function definition(leaves: Uint8Array[]): Uint8Array {
  const [only] = leaves
  if (leaves.length === 1 && only) return only
  const k = 2 ** Math.floor(Math.log2(leaves.length - 1))
  return nodeHash(definition(leaves.slice(0, k)), definition(leaves.slice(k)))
}

test('appending one leaf at a time gives the root of the definition at every size up to 65', () => {
  const leaves: Uint8Array[] = []
  let frontier: Frontier = []
  for (let size = 0; size < 65; size += 1) {
    leaves.push(leaf(size))
    frontier = append(frontier, size, leaf(size))

    expect(hex(rootOf(frontier))).toBe(hex(definition(leaves)))
  }
})

test('a frontier never holds more hashes than the size has ones', () => {
  let frontier: Frontier = []
  for (let size = 0; size < 1_000; size += 1) frontier = append(frontier, size, leaf(size))

  expect(frontier).toHaveLength(6) // 1000 = 0b1111101000
})

test('a frontier of another size is refused', () => {
  expect(() => append([], 1, leaf(0))).toThrow(RangeError)
})
