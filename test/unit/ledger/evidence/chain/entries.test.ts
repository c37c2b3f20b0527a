import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { packEntries, unpackEntries } from '../../../../../shared/ledger/evidence/chain/chain.ts'
import { ulid } from '../../../../../shared/base/lib/ids.ts'

const entries = Array.from({ length: 1_000 }, (_, index) => ({
  artifact_id: `art_${ulid(1_763_632_800_000 + index * 1_234_567, randomBytes)}`,
  shard: index % 8,
  ah: randomBytes(32),
}))

test('entries are read back as they were written', () => {
  expect(unpackEntries(packEntries(entries))).toEqual(entries)
  expect(unpackEntries(packEntries([]))).toEqual([])
})

test('a full block takes 49 KB', () => {
  expect(packEntries(entries)).toHaveLength(49_000)
})

test('the smallest and the largest id keep their place', () => {
  for (const id of [`art_${'0'.repeat(26)}`, `art_7${'Z'.repeat(25)}`]) {
    expect(unpackEntries(packEntries([{ artifact_id: id, shard: 0, ah: randomBytes(32) }]))[0]?.artifact_id).toBe(id)
  }
})

test('cut entries are refused', () => {
  expect(() => unpackEntries(packEntries(entries).subarray(1))).toThrow('cut')
})
