import { expect, test } from 'vitest'
import { rate, wilson, worst } from '../../../corpus/rates.ts'

test('the Wilson interval is that of the literature', () => {
  const [low, high] = wilson(10, 100)

  expect(low).toBeCloseTo(0.0552, 4)
  expect(high).toBeCloseTo(0.1744, 4)
  expect(wilson(0, 50)[0]).toBe(0)
  expect(wilson(50, 50)[1]).toBeCloseTo(1, 12)
})

test('nothing has no rate', () => {
  expect(rate(0, 0)).toBe('–')
  expect(rate(1, 200)).toBe('1/200 = 0.50 % [0.09, 2.78]')
})

test('groups are sorted by the share of wrong ones', () => {
  const shown = worst(
    ['a1', 'a2', 'b1', 'b2', 'c1'],
    ([group = '']) => group,
    (one) => /a|b1/.test(one),
    2,
  )

  expect(Object.keys(shown)).toEqual(['a', 'b'])
})
