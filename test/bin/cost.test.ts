import { describe, expect, test } from 'vitest'
import { cpuSeconds, cpuSecondsIn, slowest, verdict, yardstick } from '../support/cost.ts'

describe('what a run of the tests costs', () => {
  test('is the time of its process and of all children that have ended', () => {
    const stat = '7 (node (a) b) S 1 7 7 0 -1 4194304 10 20 0 0 150 50 3000 800 20 0 11 0 5 6 7'

    expect(cpuSecondsIn(stat)).toBe(1.5 + 0.5 + 30 + 8)
  })

  test('is counted where the system counts it', () => {
    expect(cpuSeconds() ?? 1).toBeGreaterThan(0)
  })

  test('stands beside that of a fixed computation', () => {
    expect(yardstick()).toBeGreaterThan(0)
    expect(verdict(630, 0.25, false).line).toBe('10.5 CPU min (630 s; the fixed computation took 0.25 s)')
  })

  test('fails the run in CI alone', () => {
    expect(verdict(841, 0.25, true)).toMatchObject({ tooMuch: true, line: expect.stringContaining('more than 14.0') })
    expect(verdict(840, 0.25, true).tooMuch).toBe(false)
    expect(verdict(2_000, 0.25, false).tooMuch).toBe(false)
  })

  test('names the slowest files first', () => {
    const files = Array.from({ length: 12 }, (_, at) => ({ path: `test/${at}.test.ts`, ms: at * 1_000 }))

    expect(slowest(files)).toHaveLength(10)
    expect(slowest(files)[0]).toBe('   11.0 s  test/11.test.ts')
  })
})
