import { describe, expect, test } from 'vitest'
import { daysOf, failingStretches, periodOf } from '../../../../shared/assure/audit-pack/check-rows.ts'
import type { DayStatus } from '../../../../shared/assure/checks/check-result.ts'

const days = (...statuses: DayStatus[]) =>
  statuses.map((status, index) => ({ date: `2026-05-${String(index + 1).padStart(2, '0')}`, status }))

describe('the days of a window', () => {
  test.each([
    ['2026-05-01T00:00:00.000Z', '2026-05-03T00:00:00.000Z', ['2026-05-01', '2026-05-02']],
    ['2026-05-01T23:59:59.999Z', '2026-05-03T00:00:00.001Z', ['2026-05-01', '2026-05-02', '2026-05-03']],
    ['2024-02-28T12:00:00.000Z', '2024-03-01T00:00:00.000Z', ['2024-02-28', '2024-02-29']],
  ])('from %s to %s', (start_at, end_at, expected) => {
    expect(daysOf({ start_at, end_at })).toEqual(expected)
  })
})

test('every day of a period is counted once', () => {
  expect(periodOf(days('pass', 'fail', 'no_data', 'error', 'no_run', 'not_applicable', 'pass'))).toEqual({
    passed: 2,
    failed: 1,
    without_data: 2,
    without_run: 1,
    not_applicable: 1,
  })
})

describe('a failing stretch', () => {
  test('ends at the last failing day before one that passes', () => {
    expect(failingStretches(days('fail', 'fail', 'pass', 'fail'))).toEqual([
      { first_day: '2026-05-01', last_day: '2026-05-02' },
      { first_day: '2026-05-04', last_day: '2026-05-04' },
    ])
  })

  test.each<DayStatus>(['no_run', 'no_data', 'error'])('goes on over a day with %s, which shows nothing', (gap) => {
    expect(failingStretches(days('fail', gap, 'fail', gap))).toEqual([
      { first_day: '2026-05-01', last_day: '2026-05-03' },
    ])
  })

  test('is none where nothing failed', () => {
    expect(failingStretches(days('pass', 'no_run', 'not_applicable'))).toEqual([])
  })
})
