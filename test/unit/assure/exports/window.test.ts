import { expect, test } from 'vitest'
import { windowOf } from '../../../../shared/assure/exports/window.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const refused = (name: string) =>
  expect.objectContaining({ kind: 'invalid', detail: [expect.objectContaining({ loc: ['query', name] })] })

test('both times left out: the last 30 days, or as many as asked for', () => {
  expect(windowOf({}, NOW)).toEqual({ start_at: '2026-10-21T12:00:00.000Z', end_at: '2026-11-20T12:00:00.000Z' })
  expect(windowOf({ window_days: 1 }, NOW).start_at).toBe('2026-11-19T12:00:00.000Z')
})

test('a start alone runs to now, whatever the days', () => {
  expect(windowOf({ start_at: '2026-11-01T00:00:00+01:00', window_days: 1 }, NOW)).toEqual({
    start_at: '2026-10-31T23:00:00.000Z',
    end_at: '2026-11-20T12:00:00.000Z',
  })
})

test('an end alone, and an end that is not after its start, are refused', () => {
  expect(() => windowOf({ end_at: '2026-11-01T00:00:00Z' }, NOW)).toThrow(refused('start_at'))
  const same = '2026-11-01T00:00:00Z'
  expect(() => windowOf({ start_at: same, end_at: same }, NOW)).toThrow(refused('end_at'))
  expect(() => windowOf({ start_at: '2026-11-21T00:00:00Z' }, NOW)).toThrow(refused('end_at'))
})
