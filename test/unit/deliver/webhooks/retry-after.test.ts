import { expect, test } from 'vitest'
import { retryAfterSeconds } from '../../../../shared/deliver/webhooks/delivery-rules.ts'

const now = Date.UTC(2026, 10, 20, 22, 37, 0)

test.each([
  ['seconds', '90', 90],
  ['seconds beyond twice the row', '86400', 120],
  ['zero', '0', 0],
  ['an IMF date', 'Fri, 20 Nov 2026 22:38:15 GMT', 75],
  ['an RFC 850 date', 'Friday, 20-Nov-26 22:38:15 GMT', 75],
  ['an asctime date', 'Fri Nov 20 22:38:15 2026', 75],
  ['a date in the past', 'Fri, 20 Nov 2026 22:00:00 GMT', 0],
  ['a date far ahead', 'Sat, 20 Nov 2027 22:00:00 GMT', 120],
  ['nonsense', 'soon', 0],
  ['nonsense with a number', 'in 90 seconds', 0],
  ['a fraction', '1.5', 0],
  ['a negative number', '-5', 0],
  ['an empty value', '', 0],
  ['no header', undefined, 0],
])('%s may lengthen the wait, at most to twice the row', (_, header, seconds) => {
  expect(retryAfterSeconds(header, now, 60)).toBe(seconds)
})
