import { DAY_MS, MINUTE_MS } from '../../../../shared/base/lib/clock.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { add, between, BusinessHours } from '../../../../shared/base/sla/business-hours.ts'
import { runs } from '../../../support/runs.ts'

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const berlin = {
  timezone: 'Europe/Berlin',
  days: [1, 2, 3, 4, 5],
  start: '09:00',
  end: '17:00',
  holidays: [] as string[],
}
const berlinAlways = { ...berlin, days: EVERY_DAY, start: '00:00', end: '24:00' }
const newYork = { ...berlin, timezone: 'America/New_York', days: EVERY_DAY, start: '01:00', end: '05:00' }
const at = (time: string) => Date.parse(`2026-${time}:00Z`)

describe('time inside business hours', () => {
  test.each([
    ['a Friday goes on on Monday', berlin, '11-20T15:30', 60, '11-23T08:30'],
    ['a whole day', berlin, '11-20T15:30', 480, '11-23T15:30'],
    ['a holiday is left out', { ...berlin, holidays: ['2026-11-23'] }, '11-20T15:30', 60, '11-24T08:30'],
    ['clocks go forward over the weekend', berlin, '03-27T15:00', 120, '03-30T08:00'],
    ['elapsed time counts on a day of 23 hours', berlinAlways, '03-28T23:00', 1440, '03-29T23:00'],
    ['elapsed time counts on a day of 25 hours', berlinAlways, '10-24T22:00', 1440, '10-25T22:00'],
    ['a night in which clocks go forward has 180 minutes', newYork, '03-08T05:00', 240, '03-09T06:00'],
    ['a night in which clocks go back has 300 minutes', newYork, '11-01T04:00', 240, '11-01T09:00'],
  ])('%s', (_, hours, from, minutes, due) => {
    expect(new Date(add(hours, at(from), minutes * MINUTE_MS)).toISOString()).toBe(`2026-${due}:00.000Z`)
    expect(between(hours, at(from), at(due))).toBe(minutes * MINUTE_MS)
  })

  test('a start that clocks leave out moves forward by the gap', () => {
    const night = { ...newYork, start: '02:30' }
    expect(add(night, at('03-08T05:00'), 0)).toBe(at('03-08T05:00'))
    expect(add(night, at('03-08T05:00'), 60 * MINUTE_MS)).toBe(at('03-08T08:30'))
  })

  test('a day that a zone leaves out is not counted twice', () => {
    const apia = { ...berlinAlways, timezone: 'Pacific/Apia' }
    const from = Date.parse('2011-12-29T12:00:00Z')
    expect(between(apia, from, from + 3 * DAY_MS)).toBe(3 * DAY_MS)
  })

  test('every instant counts without hours', () => {
    expect(add(undefined, 5, 10)).toBe(15)
    expect(between(undefined, 5, 15)).toBe(10)
    expect(between(undefined, 15, 5)).toBe(0)
    expect(between(berlin, 15, 5)).toBe(0)
  })

  test.each(['9:00', '24:01', '25:00', '12:60'])('%s is no time of day', (start) => {
    expect(BusinessHours.safeParse({ ...berlin, start }).success).toBe(false)
  })

  test('what was added lies between, in random calendars', () => {
    fc.assert(
      fc.property(calendars, instants, fc.integer({ min: 1, max: 3 * DAY_MS }), (hours, from, ms) => {
        expect(between(hours, from, add(hours, from, ms))).toBe(ms)
      }),
      runs(500),
    )
  })
})

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Santiago', 'UTC']
const FIRST = Date.parse('2026-01-01T00:00:00Z')
const timeOf = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

const instants = fc.integer({ min: FIRST, max: FIRST + 730 * DAY_MS })
const calendars = fc
  .record({
    timezone: fc.constantFrom(...ZONES),
    days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    // Hours long enough that three days of work take weeks and not years.
    from: fc.integer({ min: 0, max: 900 }),
    minutes: fc.integer({ min: 240, max: 540 }),
    holidays: fc.array(
      fc.integer({ min: 0, max: 730 }).map((day) => new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10)),
      { maxLength: 5 },
    ),
  })
  .map(({ from, minutes, ...rest }) => ({ ...rest, start: timeOf(from), end: timeOf(from + minutes) }))
