import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PERIODS } from '../../../../shared/operate/metrics/periods.ts'
import { partsOf } from '../../../../shared/operate/metrics/read-window.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

test('any window is read as at most five ranges that hold each minute of it once', () => {
  const minutes = fc.nat({ max: 400 * 1_440 })
  fc.assert(
    fc.property(minutes, minutes, (one, other) => {
      const [from, until] = [Math.min(one, other), Math.max(one, other)].map((minute) => START + minute * MINUTE)
      const parts = partsOf({ from: from ?? 0, until: until ?? 0 })

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
