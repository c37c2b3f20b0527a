import { describe, expect, test } from 'vitest'
import { nextStatement, removableAt } from '../../../../shared/assure/retention/next-page.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { retentionDays } from '../../../../shared/base/tenant/retention.ts'
import type { Plan } from '../../../../shared/base/limits/plans.ts'
import { Tenant } from '../../../../shared/base/tenant/tenant.ts'
import { EXECUTION_STATES, EXECUTION_STATUSES } from '../../../../shared/govern/executions/states.ts'
import { DAY, executionAt } from '../space.ts'

const NOW = Date.parse('2026-11-20T10:00:00.000Z')
const DAYS = 365
const BEGAN = NOW - 400 * DAY
const sealed = { payload: new Uint8Array([1]) }
const at = (over: object) => removableAt(executionAt(BEGAN, { ...sealed, ...over }), DAYS, NOW)

describe('the payload of an action', () => {
  test('may go so many days after the action began', () => {
    expect(at({})).toBe(BEGAN + DAYS * DAY)
  })

  test('waits for the time of the latest artifact', () => {
    const artifacts = [1, 3, 2].map((day) => ({
      artifact_id: `art_${day}`,
      type: 'protocol.executed',
      hash: 'sha256:d',
      at: iso(BEGAN + day * DAY),
    }))
    expect(at({ artifacts })).toBe(BEGAN + 3 * DAY + DAYS * DAY)
  })

  test('waits for the end of the time in which the action can be undone', () => {
    expect(at({ undo_until: iso(BEGAN + DAY) })).toBe(BEGAN + DAY + DAYS * DAY)
  })

  test.each(['payload', 'output', 'report_note', 'origin'])('is there as long as its %s is', (name) => {
    expect(at({ payload: undefined, [name]: new Uint8Array([1]) })).toBe(BEGAN + DAYS * DAY)
  })

  test('is there as long as it stands in an item of its own', () => {
    expect(at({ payload: undefined, payload_apart: true })).toBe(BEGAN + DAYS * DAY)
  })

  test('is gone where nothing sealed is left', () => {
    expect(at({ payload: undefined })).toBeUndefined()
  })

  test.each(['pending_approval', 'approved', 'executing'])('stays while the action is %s', (status) => {
    expect(at({ status })).toBe(NOW + DAY)
  })

  test('goes in each other status', () => {
    const running = new Set(['submitted', 'pending_approval', 'approved', 'executing'])
    const ended = EXECUTION_STATUSES.filter((status) => !running.has(status))
    expect(ended.map((status) => at({ status }))).toEqual(ended.map(() => BEGAN + DAYS * DAY))
    for (const status of ended) expect(EXECUTION_STATES[status]).not.toContain('executing')
  })

  test('stays while a worker holds the action', () => {
    expect(at({ lease_until: iso(BEGAN) })).toBe(NOW + DAY)
  })

  test.each([
    ['running', NOW + DAY],
    ['held', NOW + DAY],
    ['failed', BEGAN + DAYS * DAY],
    ['refused', BEGAN + DAYS * DAY],
  ])('with an undo that is %s goes at %i', (state, expected) => {
    expect(at({ undo: { state, by: 'usr_1', at: iso(BEGAN) } })).toBe(expected)
  })
})

describe('the days that are stated', () => {
  const until = iso(NOW + 30 * DAY)
  const running = { days: 365, grace: { days: 2_190, until: iso(NOW + DAY) } }

  test.each([
    ['more than before: at once', { days: 365 }, 2_190, { days: 2_190 }],
    ['fewer: after a grace', { days: 2_190 }, 365, { days: 365, grace: { days: 2_190, until } }],
    ['as many as a grace keeps: without it', running, 2_190, { days: 2_190 }],
    ['more, but not as many as a grace keeps: the grace goes on', running, 730, { days: 730, grace: running.grace }],
    [
      'fewer still within a grace: after a new one',
      { ...running, days: 730 },
      365,
      { days: 365, grace: { days: 2_190, until } },
    ],
    [
      'fewer after a grace is over: what was kept by then',
      { days: 730, grace: { days: 2_190, until: iso(NOW) } },
      365,
      { days: 365, grace: { days: 730, until } },
    ],
    [
      'for the first time: after a grace with the longest time',
      undefined,
      365,
      { days: 365, grace: { days: 2_555, until } },
    ],
    ['for the first time, the longest: at once', undefined, 2_555, { days: 2_555 }],
  ])('%s', (_, was, days, expected) => {
    expect(nextStatement(was, days, NOW)).toEqual(expected)
  })

  test.each([
    ['free', null, 365],
    ['business', null, 2_190],
    ['business', 400, 2_190],
    ['enterprise', null, 2_555],
    ['enterprise', 400, 400],
  ] as const)('follow from the plan %s and the setting %s: %i', (plan: Plan, evidence_retention_days, days) => {
    const settings = { evidence_retention_days }
    expect(
      retentionDays(Tenant.parse({ id: 'ten_1', name: 'A', plan, status: 'active', created_at: until, settings })),
    ).toBe(days)
  })
})
