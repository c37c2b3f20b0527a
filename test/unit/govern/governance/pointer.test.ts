import { expect, test } from 'vitest'
import { stepsOf, valueAt, valuesAt } from '../../../../shared/govern/governance/conditions/pointer.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'

// The document and the pointers of RFC 6901, section 5.
const DOCUMENT: Json = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}

test.each<[string, Json]>([
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
])('RFC 6901: %j is %j', (pointer, value) => {
  expect(valueAt(DOCUMENT, stepsOf(pointer) ?? [])).toEqual(value)
})

test.each(['foo', '', '/a~2', '/a~', '/*/a/*'])('%j is refused', (pointer) => {
  expect(stepsOf(pointer)).toBeUndefined()
})

test.each(['/missing', '/foo/2', '/foo/length', '/constructor', '/__proto__', '/foo/bar/x', '/nothing'])(
  '%j does not exist',
  (pointer) => {
    expect(valueAt({ ...DOCUMENT, nothing: null }, stepsOf(pointer) ?? [])).toBeUndefined()
  },
)

test('a star reads every element, and says which have none', () => {
  const payload: Json = { items: [{ price: 1 }, {}, { price: 3 }] }

  expect(valuesAt(payload, ['items', '*', 'price'])).toEqual([1, undefined, 3])
  expect(valuesAt({ items: [] }, ['items', '*'])).toEqual([])
  expect(valuesAt({ items: { 0: 1 } }, ['items', '*'])).toBeUndefined()
})
