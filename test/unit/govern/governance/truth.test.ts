import { expect, test } from 'vitest'
import { all, any, nameOf, not, type Truth } from '../../../../shared/govern/governance/decide/evaluation.ts'

const [T, F, U] = [true, false, undefined]
const same = (truth: Truth) => truth

// Kleene's strong logic of indeterminacy.
test.each<[Truth, Truth, Truth, Truth]>([
  [T, T, T, T],
  [T, F, F, T],
  [T, U, U, T],
  [F, F, F, F],
  [F, U, F, U],
  [U, U, U, U],
])('%s with %s: all is %s, any is %s, in either order', (a, b, both, either) => {
  for (const pair of [
    [a, b],
    [b, a],
  ]) {
    expect(all(pair, same)).toBe(both)
    expect(any(pair, same)).toBe(either)
  }
})

test('not keeps unknown', () => {
  expect([not(T), not(F), not(U)]).toEqual([F, T, U])
})

test('of nothing, all is true and any is false', () => {
  expect([all([], same), any([], same)]).toEqual([true, false])
})

test('each truth has a name', () => {
  expect([T, F, U].map(nameOf)).toEqual(['true', 'false', 'unknown'])
})
