import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { trustRecordOf, trustRecordOfAll } from '../../../../shared/govern/learned/learned.ts'
import type { Conduct } from '../../../../shared/ledger/conduct/conduct.ts'

const NOW = Date.parse('2026-11-23T12:00:00.000Z')
const ZERO = { ok: 0, failed: 0, undone: 0, rejected: 0, violations: 0 }

const conductOf = (day: Partial<Conduct['days'][number]>, executions = 0): Conduct => ({
  tenant_id: 'ten_1',
  mode: 'live',
  actor: 'key:key_1',
  first_at: '2026-01-01T00:00:00.000Z',
  executions,
  approvals: 0,
  rejected: 0,
  undone: 0,
  failed: 0,
  violations: 0,
  days: [{ day: '2026-11-23', ...ZERO, ...day }],
})

describe('trust', () => {
  test.each([
    [{}, 50],
    [{ ok: 20 }, 95],
    [{ rejected: 1 }, 17],
    [{ violations: 1 }, 8],
    [{ rejected: 1, ok: 2 }, 38],
    [{ ok: 4, undone: 1, rejected: 2 }, 31],
  ])('after %j is %i', (day, trust) => {
    expect(trustRecordOf(conductOf(day), NOW)).toMatchObject({ trust, executions: 0 })
  })

  test('of an actor without conduct is that of a stranger', () => {
    expect(trustRecordOf(undefined, NOW)).toEqual({ trust: 50, executions: 0, hours_known: 0 })
  })

  test.each([
    ['2026-10-25', 17],
    ['2026-10-24', 50],
  ])('sees what happened on %s as %i', (day, trust) => {
    expect(trustRecordOf(conductOf({ day, rejected: 1 }), NOW).trust).toBe(trust)
  })

  test('of two actors is the smaller, each figure by itself', () => {
    expect(trustRecordOfAll([conductOf({ ok: 20 }, 3), conductOf({ rejected: 1 }, 9)], NOW)).toEqual({
      trust: 17,
      executions: 3,
      hours_known: 7_836,
    })
  })

  test('is none of a person alone', () => {
    expect(trustRecordOfAll([], NOW)).toBeUndefined()
  })

  test('never grows by naming an agent as well', () => {
    const day = fc.record({ ok: fc.nat(50), rejected: fc.nat(5), violations: fc.nat(3) })
    fc.assert(
      fc.property(day, fc.nat(100), fc.option(fc.tuple(day, fc.nat(100))), (own, ran, named) => {
        const other = named === null ? undefined : conductOf(named[0], named[1])
        const alone = trustRecordOf(conductOf(own, ran), NOW)
        const both = trustRecordOfAll([conductOf(own, ran), other], NOW)
        expect(both?.trust).toBeLessThanOrEqual(alone.trust)
        expect(both?.executions).toBeLessThanOrEqual(alone.executions)
      }),
    )
  })
})
