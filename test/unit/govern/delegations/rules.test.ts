import { describe, expect, test } from 'vitest'
import { covers, mustBeWindow, mustFitBeside, statusAt } from '../../../../shared/govern/delegations/delegation.ts'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const inDays = (days: number) => new Date(NOW + days * DAY_MS).toISOString()
const window = (from: number, until: number) => ({ from_at: inDays(from), until: inDays(until) })

test.each([
  ['before its first millisecond', -1, 'scheduled'],
  ['in its first', 0, 'active'],
  ['in its last', DAY_MS - 1, 'active'],
  ['after that', DAY_MS, 'ended'],
])('%s it is as its times say', (_, ms, status) => {
  expect(statusAt(window(0, 1), new Date(NOW + ms).toISOString())).toBe(status)
})

test('ended by somebody, it has ended, whenever it would have begun', () => {
  for (const from of [-1, 1]) expect(statusAt({ ...window(from, 2), ended_at: inDays(0) }, inDays(0))).toBe('ended')
})

test('it covers all nodes, or those that it names', () => {
  expect(covers({}, 'crm.notes')).toBe(true)
  expect(covers({ node_ids: ['crm.notes'] }, 'crm.notes')).toBe(true)
  expect(covers({ node_ids: ['crm.notes'] }, 'crm.contacts')).toBe(false)
})

describe('a new one', () => {
  const refusal = (from: number, until: number): string | undefined => {
    try {
      mustBeWindow({ from: NOW + from, until: NOW + until }, NOW)
      return undefined
    } catch (error) {
      return JSON.stringify(error)
    }
  }

  test.each([
    ['may begin a minute ago', -60_000, DAY_MS, undefined],
    ['may not begin earlier', -60_001, DAY_MS, 'from_at'],
    ['may begin in 90 days', 90 * DAY_MS, 91 * DAY_MS, undefined],
    ['may not begin later', 90 * DAY_MS + 1, 91 * DAY_MS, 'from_at'],
    ['may last 30 days', 0, 30 * DAY_MS, undefined],
    ['may not last longer', 0, 30 * DAY_MS + 1, 'until'],
    ['may not end as it begins', DAY_MS, DAY_MS, 'until'],
    ['may not end now', -60_000, 0, 'until'],
  ])('%s', (_, from, until, member) => {
    const refused = refusal(from, until)
    expect(refused === undefined ? undefined : /from_at|until/.exec(refused)?.[0]).toBe(member)
  })

  const other = (from: number, until: number, more: object = {}) => ({
    id: 'dlg_1',
    to_user_id: 'ben',
    ...window(from, until),
    ...more,
  })
  const fits = (others: ReturnType<typeof other>[], from = 0, until = 2, to_user_id = 'ben') => {
    try {
      mustFitBeside({ to_user_id, ...window(from, until) }, others, inDays(0))
      return true
    } catch {
      return false
    }
  }

  test.each([
    ['to the same person for a part of the time', [other(1, 3)], false],
    ['to the same person from when it ends', [other(2, 3)], true],
    ['to another person', [other(1, 3, { to_user_id: 'cleo' })], true],
    ['that somebody has ended', [other(1, 3, { ended_at: inDays(0) })], true],
    ['that are over', Array.from({ length: 10 }, () => other(-2, 0)), true],
    ['of which nine have not ended', Array.from({ length: 9 }, () => other(3, 4)), true],
    ['of which ten have not ended', Array.from({ length: 10 }, () => other(3, 4)), false],
  ])('beside others %s: %#', (_, others, may) => {
    expect(fits(others)).toBe(may)
  })
})
