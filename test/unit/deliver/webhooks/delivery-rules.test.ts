import { describe, expect, test } from 'vitest'
import { Delivery, DELIVERY_STATES, DELIVERY_STATUSES } from '../../../../shared/deliver/webhooks/delivery.ts'
import {
  attempted,
  attemptState,
  claimed,
  deliveryId,
  ended,
  failed,
  firstAttempts,
  newDelivery,
  released,
  retrying,
} from '../../../../shared/deliver/webhooks/delivery-rules.ts'
import { rowSeconds } from '../../../../shared/deliver/webhooks/schedule.ts'

const now = Date.UTC(2026, 10, 20, 22, 37)
const event = { id: 'evt_1', type: 'execution.undone' } as const
const pending = newDelivery({ tenant_id: 'ten_1', mode: 'live' }, { event, position: 7, endpoint_id: 'whe_1' }, now)
const failure = (n: number) => ({
  tenant_id: 'ten_1',
  mode: 'live' as const,
  delivery_id: pending.id,
  n,
  at: '2026-11-20T22:37:00.000Z',
  status_code: 503,
  latency_ms: 12,
})
const wait = (retryAfter: string) => retrying(attempted(pending, failure(3)), retryAfter, now)
const minutesAfter = (text: string | undefined) => (Date.parse(text ?? '') - now) / 60_000

describe('the states of a delivery', () => {
  test('are all reachable from pending, and the last two are final', () => {
    const reached = new Set(['pending', ...Object.values(DELIVERY_STATES).flat()])

    expect([...reached].toSorted()).toEqual([...DELIVERY_STATUSES].toSorted())
    expect([DELIVERY_STATES.delivered, DELIVERY_STATES.failed]).toEqual([[], []])
  })

  test.each(['delivered', 'failed'] as const)('%s is never left', (status) => {
    const over = { ...pending, status }

    expect(() => ended(over, 'delivered', now)).toThrow('You cannot change the status')
    expect(() => failed(over, 'exhausted', now)).toThrow('You cannot change the status')
    expect(() => retrying(over, undefined, now)).toThrow('You cannot change the status')
  })
})

test('the same event and endpoint make the same delivery', () => {
  expect(pending.id).toBe(deliveryId('evt_1', 'whe_1'))
  expect(pending.id).toMatch(/^dlv_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  expect(deliveryId('evt_1', 'whe_2')).not.toBe(pending.id)
})

test('what is stored obeys the schema in every state', () => {
  const waiting = retrying(attempted(pending, failure(0)), '90', now)

  for (const delivery of [pending, waiting, claimed(waiting, 'exec', now), failed(waiting, 'exhausted', now)]) {
    expect(Delivery.safeParse(delivery).error).toBeUndefined()
  }
})

describe('a failed attempt', () => {
  test('waits for 1, 1, 2, 3, 5, 8 and 13 times the base, and then for nothing', () => {
    const waits = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => retrying(attempted(pending, failure(n)), undefined, now))

    expect(waits.map(({ next_attempt_at }) => minutesAfter(next_attempt_at))).toEqual([
      1,
      1,
      2,
      3,
      5,
      8,
      13,
      Number.NaN,
    ])
    expect(rowSeconds(7)).toBeUndefined()
  })

  test('waits longer when the receiver asks for it, but not shorter, and at most twice as long', () => {
    expect(wait('200')).toMatchObject({ retry_after: 200, next_attempt_at: '2026-11-20T22:40:20.000Z' })
    expect(wait('5')).toMatchObject({ retry_after: 5, next_attempt_at: '2026-11-20T22:40:00.000Z' })
    expect(wait('9999')).toMatchObject({ retry_after: 360, next_attempt_at: '2026-11-20T22:43:00.000Z' })
  })

  test('keeps its result for those who ask', () => {
    expect(attempted(pending, failure(2))).toMatchObject({ attempt: 2, last: { status_code: 503, latency_ms: 12 } })
  })
})

describe('the sweeper is asked', () => {
  test('15 minutes after a delivery should have moved', () => {
    expect(minutesAfter(pending.due_at)).toBe(15)
    expect(minutesAfter(retrying(attempted(pending, failure(5)), undefined, now).due_at)).toBe(8 + 15)
    expect(minutesAfter(retrying(attempted(pending, failure(7)), undefined, now).due_at)).toBe(15)
  })

  test('never about a delivery that has ended', () => {
    expect(ended(pending, 'delivered', now).due_at).toBeUndefined()
  })

  test('again only after the wait that it starts anew', () => {
    const again = released({ ...retrying(attempted(pending, failure(6)), undefined, now), exec: 'lost' }, now)

    expect(again.exec).toBeUndefined()
    expect(minutesAfter(again.due_at)).toBe(13 + 15)
  })
})

test('beginning the same attempt again is counted, beginning the next one is not', () => {
  const waiting = retrying(attempted(pending, failure(0)), undefined, now)
  const once = claimed(waiting, 'exec', now)
  const next = attempted(once, failure(1))

  expect(once.claimed).toMatchObject({ n: 1, times: 1 })
  expect(claimed(once, 'exec', now).claimed).toMatchObject({ n: 1, times: 2 })
  expect(claimed(next, 'exec', now).claimed).toMatchObject({ n: 2, times: 1 })
})

describe('an attempt that is not recorded', () => {
  const taken = { ...pending, ...firstAttempts.until(now) }
  const claim = claimed(retrying(attempted(pending, failure(0)), undefined, now), 'exec', now)

  test.each([
    ['a first one', taken],
    ['a retry', claim],
  ])('of %s is under way for six seconds, and then was sent', (_, delivery) => {
    expect(attemptState(delivery, now + 6_000)).toBe('sending')
    expect(attemptState(delivery, now + 6_001)).toBe('sent_not_recorded')
  })

  test('is none before it begins and after it is recorded', () => {
    expect(attemptState(pending, now)).toBeUndefined()
    expect(attemptState(attempted(claim, failure(1)), now + 60_000)).toBeUndefined()
    expect(attemptState(ended(attempted(taken, failure(0)), 'delivered', now), now + 60_000)).toBeUndefined()
  })
})
