import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE, PERIODS } from '../../../../shared/operate/metrics/state.ts'
import { partsOf } from '../../../../shared/operate/metrics/read-window.ts'

const START = Date.UTC(2026, 0, 1)

const minutes = fc.nat({ max: 400 * 1_440 })
const spanOf = (one: number, other: number) => ({
  from: START + Math.min(one, other) * MINUTE,
  until: START + Math.max(one, other) * MINUTE,
})

test('any window is read as at most five ranges that hold each minute of it once', () => {
  fc.assert(
    fc.property(minutes, minutes, (one, other) => {
      const { from, until } = spanOf(one, other)
      const parts = partsOf({ from, until })

      expect(parts.length).toBeLessThanOrEqual(5)
      let at = from
      for (const { period, from: begin, until: end } of parts) {
        expect(begin).toBe(at)
        expect([begin % PERIODS[period].ms, end % PERIODS[period].ms]).toEqual([0, 0])
        at = end
      }
      expect(at).toBe(until)
    }),
  )
})

test('hours and days that are not rolled up are read from their parts, each minute once', () => {
  const hours = fc.array(fc.nat({ max: 400 * 24 }), { maxLength: 5 })
  const days = fc.array(fc.nat({ max: 400 }), { maxLength: 3 })
  fc.assert(
    fc.property(minutes, minutes, hours, days, (one, other, openHours, openDays) => {
      const { from, until } = spanOf(one, other)
      const open = { hours: openHours.map((at) => START + at * HOUR), days: openDays.map((at) => START + at * DAY) }
      const parts = partsOf({ from, until }, open)

      expect(parts.reduce((at, part) => (part.from === at ? part.until : Number.NaN), from)).toBe(until)
      for (const { period, from: begin, until: end } of parts) {
        const within = (at: number) => at >= begin && at < end
        if (period !== 'M') expect(open.hours.filter(within)).toEqual([])
        if (period === 'D') expect(open.days.filter(within)).toEqual([])
      }
    }),
  )
})
