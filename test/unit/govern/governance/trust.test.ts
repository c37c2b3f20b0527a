import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { trustOf } from '../../../../shared/govern/governance/decide/evaluation.ts'

const NOTHING = { ok: 0, failed: 0, undone: 0, rejected: 0, violations: 0 }

test.each([
  [NOTHING, 50],
  [{ ...NOTHING, ok: 98 }, 99],
  [{ ...NOTHING, failed: 2 }, 25],
  [{ ...NOTHING, ok: 10, undone: 1 }, 79],
  [{ ...NOTHING, ok: 10, rejected: 2 }, 55],
  [{ ...NOTHING, ok: 10, violations: 1 }, 50],
])('%j gives %i', (conduct, trust) => {
  expect(trustOf(conduct)).toBe(trust)
})

test('good conduct never lowers trust, bad conduct never raises it, and it stays within 0..100', () => {
  const count = fc.nat(10_000)
  const conduct = fc.record({ ok: count, failed: count, undone: count, rejected: count, violations: count })

  fc.assert(
    fc.property(conduct, (past) => {
      const trust = trustOf(past)
      expect(trust).toBeGreaterThanOrEqual(0)
      expect(trust).toBeLessThanOrEqual(100)
      expect(trustOf({ ...past, ok: past.ok + 1 })).toBeGreaterThanOrEqual(trust)
      for (const bad of ['failed', 'undone', 'rejected', 'violations'] as const) {
        expect(trustOf({ ...past, [bad]: past[bad] + 1 })).toBeLessThanOrEqual(trust)
      }
    }),
  )
})
