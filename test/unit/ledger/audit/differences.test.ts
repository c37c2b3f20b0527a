import { expect, test } from 'vitest'
import { differences } from '../../../../shared/ledger/audit/differences.ts'

test('only what differs is named, with both values', () => {
  const [was, next] = [
    { name: 'a', tags: ['x'], size: 1 },
    { name: 'b', tags: ['x'], size: 1 },
  ]

  expect(differences(was, next, ['name', 'tags', 'size'])).toEqual([{ path: 'name', before: 'a', after: 'b' }])
})

test('without a former state everything is new', () => {
  expect(differences(undefined, { name: 'a' }, ['name'])).toEqual([{ path: 'name', before: undefined, after: 'a' }])
})

test('a member that others were added to is compared as a whole, whatever the order of its own members', () => {
  expect(differences({ x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } }, ['x'])).toEqual([])
})

test('a long value is named by its hash, so that the entry can be stored', () => {
  const [change] = differences({ text: 'short' }, { text: 'x'.repeat(100_000) }, ['text'])

  expect(change).toEqual({
    path: 'text',
    before: 'short',
    after: { sha256: expect.stringMatching(/^[\da-f]{64}$/), length: 100_002 },
  })
})
