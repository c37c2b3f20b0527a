import { expect, test } from 'vitest'
import { owedOf } from '../../../../shared/operate/usage/period.ts'

const paid = (start: string, end: string, previous?: string) => ({
  current_period_start: `${start}T12:00:00.000Z`,
  current_period_end: `${end}T12:00:00.000Z`,
  ...(previous !== undefined && { previous_period_start: `${previous}T12:00:00.000Z` }),
})
const owed = (main: Parameters<typeof owedOf>[0], now: string) =>
  owedOf(main, Date.parse(now)).map(({ start, end }) =>
    [start, end].map((at) => new Date(at).toISOString().slice(0, 10)),
  )

test.for([
  [
    'a month',
    paid('2026-11-05', '2026-12-05', '2026-10-05'),
    '2026-11-20T00:00:00Z',
    ['2026-10-05', '2026-11-05', '2026-12-05'],
  ],
  [
    'a month that is over',
    paid('2026-11-05', '2026-12-05'),
    '2026-12-06T00:00:00Z',
    ['2026-11-05', '2026-12-05', '2027-01-04'],
  ],
  [
    'the first month of a year',
    paid('2026-01-31', '2027-01-31', '2025-01-31'),
    '2026-02-10T00:00:00Z',
    ['2025-12-31', '2026-01-31', '2026-02-28'],
  ],
  [
    'a later month of a year',
    paid('2026-01-31', '2027-01-31'),
    '2026-05-10T00:00:00Z',
    ['2026-03-31', '2026-04-30', '2026-05-31'],
  ],
  ['a quarter', paid('2026-10-01', '2027-01-01'), '2026-11-15T00:00:00Z', ['2026-10-01', '2026-11-01', '2026-12-01']],
  [
    'a year that is over',
    paid('2025-11-05', '2026-11-05'),
    '2026-11-20T00:00:00Z',
    ['2026-10-05', '2026-11-05', '2026-12-05'],
  ],
] as const)('usage of %s is owed month by month', ([, main, now, [before, start, end]]) => {
  expect(owed(main, now)).toEqual([
    [before, start],
    [start, end],
  ])
})

test('the first month of a first year has none before it, and without a subscription it is the UTC month', () => {
  expect(owed(paid('2026-11-05', '2027-11-05'), '2026-11-20T00:00:00Z')).toEqual([['2026-11-05', '2026-12-05']])
  expect(owed(paid('2026-11-05', '2026-11-05'), '2026-11-20T00:00:00Z')).toEqual([['2026-11-01', '2026-12-01']])
  expect(owed(undefined, '2026-11-20T00:00:00Z')).toEqual([['2026-11-01', '2026-12-01']])
})
