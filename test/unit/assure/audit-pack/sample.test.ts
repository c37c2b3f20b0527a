import { expect, test } from 'vitest'
import { Sample } from '../../../../shared/assure/audit-pack/populations.ts'

const SEED = '0'.repeat(64)
const IDS = ['apr_A', 'apr_B', 'apr_C', 'apr_D', 'apr_E']

function drawn(size: number, ids: readonly string[], seed = SEED): string[] {
  const sample = new Sample<string>(size, seed)
  for (const id of ids) sample.see(id, id)
  return sample.rows()
}

test('a sample is the rows with the smallest hashes, in the order of the hashes', () => {
  expect(drawn(5, IDS)).toEqual(['apr_A', 'apr_C', 'apr_B', 'apr_E', 'apr_D'])
  expect(drawn(2, IDS)).toEqual(['apr_A', 'apr_C'])
})

test('a sample does not depend on the order of the rows', () => {
  expect(drawn(3, IDS.toReversed())).toEqual(drawn(3, IDS))
})

test('another seed draws another sample', () => {
  expect(drawn(5, IDS, 'f'.repeat(64))).not.toEqual(drawn(5, IDS))
})

test('a sample that is larger than the population is all of it', () => {
  expect(drawn(500, IDS)).toHaveLength(5)
  expect(drawn(25, [])).toEqual([])
})

test('a sample of a long list is that of the whole list, although only part of it is kept', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => `exe_${index}`)
  expect(drawn(10, many)).toEqual(drawn(1_000, many).slice(0, 10))
})
