import { describe, expect, test } from 'vitest'
import { statsOf } from '../../../../shared/deliver/webhooks/delivery-log.ts'

const at = '2026-11-20T22:37:00.000Z'
const answered = (latency_ms: number, status: 'delivered' | 'failed' = 'delivered') => ({
  status,
  last: { at, status_code: 200, latency_ms },
})

describe('the statistics of deliveries', () => {
  test('give percentiles by nearest rank', () => {
    const found = Array.from({ length: 100 }, (_, index) => answered(100 - index))

    expect(statsOf(found).latency_ms).toEqual({ p50: 50, p95: 95 })
    expect(statsOf([answered(7)]).latency_ms).toEqual({ p50: 7, p95: 7 })
  })

  test('leave attempts without an answer out of the latency', () => {
    const unanswered = { status: 'retrying' as const, last: { at, error_class: 'timeout', latency_ms: 5_000 } }

    expect(statsOf([answered(7), unanswered]).latency_ms).toEqual({ p50: 7, p95: 7 })
  })

  test('count success among what has ended', () => {
    const open = { status: 'pending' as const }

    expect(statsOf([answered(1), answered(1, 'failed'), answered(1), open]).success_percent).toBe(66.7)
    expect(statsOf([open])).toMatchObject({ success_percent: null, counts: { pending: 1 } })
  })
})
