import { expect, test } from 'vitest'
import { isTimeZone } from '../../../../shared/base/lib/time-zone.ts'
import { localTime } from '../../../../shared/govern/governance/conditions/hours.ts'

test.each(['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Etc/UTC', 'UTC', 'US/Eastern', 'europe/berlin', '+05:30'])(
  '%s is a time zone',
  (name) => {
    expect(isTimeZone(name)).toBe(true)
  },
)

test.each(['', 'Mars/Olympus', 'Europe/Berlin ', 'CEST+1', 7, null, undefined])('%j is none', (name) => {
  expect(isTimeZone(name)).toBe(false)
})

test('a link has the time of its zone', () => {
  const at = Date.UTC(2026, 6, 1, 20)

  expect(localTime('Asia/Kolkata', at)).toEqual(localTime('Asia/Calcutta', at))
  expect(localTime('US/Eastern', at).minute).toBe(16 * 60)
  expect(localTime('+05:30', at).minute).toBe(90)
})
