import { expect, test } from 'vitest'
import { inWords, timesOf } from '../../../../shared/people/approval-page/shown.ts'

test.each([
  [60, [60]],
  [600, [600]],
  [601, [600, 601]],
  [28_800, [600, 3_600, 28_800]],
])('where policies permit %i seconds at most, nothing longer is offered', (max_s, times) => {
  expect(timesOf({ max_s, max_uses: 1, free: [], at_most: [] })).toEqual(times)
})

test.each([
  [61, '61 seconds'],
  [60, '1 minute'],
  [5_400, '90 minutes'],
  [3_600, '1 hour'],
  [28_800, '8 hours'],
])('%i seconds are %s', (seconds, words) => {
  expect(inWords(seconds)).toBe(words)
})
