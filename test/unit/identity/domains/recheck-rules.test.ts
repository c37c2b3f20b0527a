import { describe, expect, test } from 'vitest'
import type { Claim } from '../../../../shared/identity/domains/domain.ts'
import { claimAfterCheck, nextDay } from '../../../../shared/identity/domains/confirm.ts'

const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const claim: Claim = {
  domain: 'acme.example',
  tenant_id: 'ten_1',
  status: 'verified',
  verified_at: '2026-10-01T00:00:00.000Z',
  checked_at: '2026-11-19T10:00:00.000Z',
  misses: 0,
  due: '2026-11-20',
}

test('the next check is due a day later', () => {
  expect(nextDay(NOW)).toBe('2026-11-21')
})

describe('a daily check', () => {
  test('that finds the record forgets earlier misses', () => {
    expect(claimAfterCheck({ ...claim, misses: 2 }, 'match', NOW)).toMatchObject({
      status: 'verified',
      misses: 0,
      checked_at: '2026-11-20T10:00:00.000Z',
      due: '2026-11-21',
    })
  })

  test.each([
    [0, 'verified'],
    [1, 'verified'],
    [2, 'lapsed'],
  ] as const)('that misses it after %i misses leaves the domain %s', (misses, status) => {
    for (const found of ['not_found', 'mismatch'] as const) {
      expect(claimAfterCheck({ ...claim, misses }, found, NOW)).toMatchObject({ status, misses: misses + 1 })
    }
  })

  test('restores a lapsed domain, which keeps the time it was first verified at', () => {
    const lapsed: Claim = { ...claim, status: 'lapsed', lapsed_at: '2026-11-18T10:00:00.000Z', misses: 5 }

    const { lapsed_at, ...restored } = claimAfterCheck(lapsed, 'match', NOW)
    expect(restored).toMatchObject({ status: 'verified', misses: 0, verified_at: claim.verified_at })
    expect(lapsed_at).toBeUndefined()
  })

  test('that goes on missing a lapsed domain does not let it lapse again', () => {
    const lapsed: Claim = { ...claim, status: 'lapsed', lapsed_at: '2026-11-18T10:00:00.000Z', misses: 3 }

    expect(claimAfterCheck(lapsed, 'not_found', NOW)).toMatchObject({ status: 'lapsed', lapsed_at: lapsed.lapsed_at })
  })
})
