import { describe, expect, test } from 'vitest'
import type { Space } from '../../../../shared/base/context.ts'
import { newestSlot, openSlots } from '../../../../shared/ledger/steps/run-step.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const space: Space = { tenant_id: 'ten_1', mode: 'live' }
const now = Date.UTC(2026, 10, 20, 22, 37)

describe('the slot of a space', () => {
  test.each(['hour', 'day'] as const)('comes back after exactly one %s, on a whole minute', (period) => {
    const length = period === 'hour' ? HOUR : DAY
    const slot = newestSlot(space, period, now)

    expect(slot).toBeGreaterThan(now - length)
    expect(slot).toBeLessThanOrEqual(now)
    expect(slot % 60_000).toBe(0)
    expect(newestSlot(space, period, slot)).toBe(slot)
    expect(newestSlot(space, period, slot - 1)).toBe(slot - length)
    expect(newestSlot(space, period, now + 3 * length)).toBe(slot + 3 * length)
  })

  test('spreads the spaces over all minutes of the hour', () => {
    const spaces = Array.from({ length: 600 }, (_, index): Space => ({ tenant_id: `ten_${index}`, mode: 'live' }))
    const minutes = new Set(spaces.map((one) => (newestSlot(one, 'hour', now) / 60_000) % 60))

    expect(minutes.size).toBe(60)
    expect(newestSlot({ ...space, mode: 'test' }, 'day', now)).not.toBe(newestSlot(space, 'day', now))
  })
})

describe('the slots to make up for', () => {
  const slot = newestSlot(space, 'hour', now)

  test('are those of a gap, oldest first', () => {
    const open = openSlots(space, 'hour', { done: slot - 5 * HOUR, now })

    expect(open).toEqual([4, 3, 2, 1, 0].map((back) => slot - back * HOUR))
  })

  test('are at most 24 hours and 8 days', () => {
    expect(openSlots(space, 'hour', { done: slot - 100 * HOUR, now })).toHaveLength(24)
    expect(openSlots(space, 'day', { done: newestSlot(space, 'day', now) - 30 * DAY, now })).toHaveLength(8)
  })

  test('are none when the newest is done, and only the newest when none ever was', () => {
    expect(openSlots(space, 'hour', { done: slot, now })).toEqual([])
    expect(openSlots(space, 'hour', { done: undefined, now })).toEqual([slot])
  })
})
