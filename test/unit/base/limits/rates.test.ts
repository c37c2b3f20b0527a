import { afterEach, describe, expect, test } from 'vitest'
import { addressFigures, PLAN_FACTS, PUBLISHED_1, PUBLISHED_2 } from '../../../../shared/base/limits/plans.ts'

describe('the figures in effect', () => {
  test.each(['free', 'team', 'business'] as const)(
    'refuse no client of plan %s that keeps to either published table',
    (plan) => {
      const { perMinute, perSecond, perDay } = PLAN_FACTS[plan]
      const [first, second] = [PUBLISHED_1[plan], PUBLISHED_2[plan]]

      expect(perMinute).toBe(Math.max(first.perMinute, second.perMinute))
      expect(perSecond).toBe(Math.max(first.perSecond, second.perSecond))
      expect(perDay).toBe(first.perDay)
    },
  )

  test('are those of the documentation', () => {
    expect(PLAN_FACTS).toMatchObject({
      free: { perMinute: 100, perSecond: 20, perDay: 5_000 },
      team: { perMinute: 500, perSecond: 50, perDay: 50_000 },
      business: { perMinute: 2_000, perSecond: 200, perDay: 500_000 },
      enterprise: { perMinute: 2_000, perSecond: 200, perDay: Number.MAX_SAFE_INTEGER },
    })
  })
})

describe('the figures of an address', () => {
  afterEach(() => {
    delete process.env.ADDRESS_RATE_FACTOR
  })

  test('are 300 a minute and 50 at once, and more on a developer’s machine', () => {
    expect(addressFigures()).toMatchObject({ perMinute: 300, perSecond: 50 })
    process.env.ADDRESS_RATE_FACTOR = '20'
    expect(addressFigures()).toMatchObject({ perMinute: 6_000, perSecond: 1_000 })
  })
})
