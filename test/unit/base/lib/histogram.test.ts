import { describe, expect, test } from 'vitest'
import { bucketOf, countBelow, MS_EDGES, percentile } from '../../../../shared/base/lib/histogram.ts'

const counts = (values: readonly number[]): number[] => {
  const made = Array.from({ length: MS_EDGES.length + 1 }, () => 0)
  for (const value of values) made[bucketOf(MS_EDGES, value)] = (made[bucketOf(MS_EDGES, value)] ?? 0) + 1
  return made
}
const times = (count: number, value: number) => Array.from({ length: count }, () => value)

describe('a percentile', () => {
  const vector = counts([...times(60, 30), ...times(35, 120), ...times(5, 250)])

  test.each([
    [0.5, 45.83],
    [0.95, 150],
    [0.99, 280],
  ])('at %d is linear inside its bucket', (share, value) => {
    expect(percentile(MS_EDGES, vector, share)).toBeCloseTo(value, 2)
  })

  test('of nothing is null', () => {
    expect(percentile(MS_EDGES, counts([]), 0.95)).toBeNull()
  })

  test('in the open last bucket is its lower edge', () => {
    expect(percentile(MS_EDGES, counts([31_000, 90_000]), 0.95)).toBe(30_000)
  })
})

describe('under 200 ms', () => {
  test('counts 199 and not 200', () => {
    expect(countBelow(MS_EDGES, counts([0, 199, 199, 200, 201]), 200)).toBe(3)
  })

  test('what is no edge cannot be told', () => {
    expect(() => countBelow(MS_EDGES, counts([]), 201)).toThrow('edge')
  })
})
