// Every way in which an alert moves, on a clock of minutes.
import { describe, expect, test } from 'vitest'
import { iso } from '../../../../shared/base/lib/clock.ts'
import type { Alert } from '../../../../shared/operate/alerts/alert.ts'
import { builtInRules } from '../../../../shared/operate/alerts/built-in-rules.ts'
import type { AlertRule } from '../../../../shared/operate/alerts/rule.ts'
import { type After, type Before, isMailDue, step } from '../../../../shared/operate/alerts/states.ts'

const SPACE = { tenant_id: 'acme', mode: 'live' } as const
const START = Date.parse('2026-11-20T10:00:00.000Z')
const minute = (n: number) => START + n * 60_000

const ruleWith = (change: Partial<AlertRule> = {}): AlertRule => {
  const given = builtInRules(SPACE).find(({ name }) => name === 'governance-p95')
  if (!given) throw new Error('no such rule')
  return { ...given, for: '0m', ...change }
}

const made = () => ({
  ...SPACE,
  id: 'alt_1',
  rule_id: 'rul_1',
  fingerprint: 'f',
  title: 'Decisions are slow',
  labels: {},
})

/** Looks at the condition minute by minute, from `before` on: `1` it holds, `0` it does not, `-` nothing to judge. */
function looks(rule: AlertRule, pattern: string, from = 0, before: Before = { since: undefined, last: undefined }) {
  let state = before
  const steps: After[] = []
  for (const [index, mark] of [...pattern].entries()) {
    const holds = mark === '-' ? undefined : mark === '1'
    const after = step(rule, state, { at: minute(from + index), holds, value: 250, threshold: 200 }, made)
    steps.push(after)
    state = { since: after.since, last: after.alert ?? state.last }
  }
  return { moves: steps.map(({ moved }) => moved?.charAt(0) ?? '.').join(''), state, alert: state.last }
}

const opened = (change: Partial<Alert> = {}): Before => {
  const { alert } = looks(ruleWith(), '1')
  if (!alert) throw new Error('it did not fire')
  return { since: undefined, last: { ...alert, ...change } }
}

describe('a condition that comes true', () => {
  test.each([
    { for: '0m', pattern: '01', moves: '.f' },
    { for: '5m', pattern: '0111111', moves: '......f' },
    { for: '5m', pattern: '1111101111', moves: '..........' },
    { for: '2m', pattern: '1-1', moves: '..f' },
  ])('fires once it has held at every look for $for: $pattern', ({ pattern, moves, ...change }) => {
    expect(looks(ruleWith(change), pattern).moves).toBe(moves)
  })

  test('an alert shows the measured value and since when', () => {
    expect(opened().last).toMatchObject({
      status: 'firing',
      value: 250,
      threshold: 200,
      starts_at: iso(minute(0)),
      occurrences: 1,
      flapping: false,
      history: [{ at: iso(minute(0)), status: 'firing', by: 'system' }],
    })
  })
})

describe('a condition that no longer holds', () => {
  test.each([
    { resolve_after: '5m', pattern: '000000', moves: '.....r' },
    { resolve_after: '5m', pattern: '00010000000', moves: '.........r.' },
    { resolve_after: '0m', pattern: '0', moves: 'r' },
  ])('resolves after $resolve_after of looks at which it was false: $pattern', ({ pattern, moves, ...change }) => {
    expect(looks(ruleWith(change), pattern, 1, opened()).moves).toBe(moves)
  })

  test('stays until a person resolves it where the rule says so', () => {
    expect(looks(ruleWith({ auto_resolve: false }), '0'.repeat(120), 1, opened()).moves).toMatch(/^\.+$/)
  })

  test('resolves an acknowledged alert, too', () => {
    const acked = opened({ status: 'acked', snoozed_until: iso(minute(480)) })

    expect(looks(ruleWith(), '000000', 1, acked)).toMatchObject({
      moves: '.....r',
      alert: { status: 'resolved', resolution: 'recovered', resolved_by: 'system' },
    })
  })
})

describe('an acknowledged alert', () => {
  test('fires again when its snooze ran out and the condition still holds', () => {
    const acked = opened({
      status: 'acked',
      acked_by: 'usr_1',
      acked_at: iso(minute(1)),
      snoozed_until: iso(minute(4)),
    })
    const { moves, alert } = looks(ruleWith(), '1111', 1, acked)

    expect(moves).toBe('...f')
    expect(alert).toMatchObject({ status: 'firing', occurrences: 1 })
    expect(alert).not.toHaveProperty('acked_by')
  })
})

describe('a condition that comes true again', () => {
  test('is the same alert within ten minutes of its recovery', () => {
    const { moves, alert } = looks(ruleWith({ resolve_after: '0m' }), '101', 0)

    expect(moves).toBe('frf')
    expect(alert).toMatchObject({ id: 'alt_1', occurrences: 2, status: 'firing' })
    expect(alert).not.toHaveProperty('resolved_at')
  })

  test.each([
    { what: 'more than ten minutes later', pattern: '1000000000000001', resolution: 'recovered' },
    { what: 'after a person resolved it', pattern: '1', resolution: 'manual' },
  ] as const)('is a new alert $what', ({ pattern, resolution }) => {
    const end = {
      status: 'resolved',
      resolution,
      resolved_at: iso(minute(1)),
      resolved_by: 'x',
      occurrences: 7,
    } as const
    const { alert } = looks(ruleWith(), pattern.slice(1) || '1', pattern.length > 1 ? 12 : 2, opened(end))

    expect(alert).toMatchObject({ status: 'firing', occurrences: 1 })
  })
})

describe('a flapping alert', () => {
  const rule = ruleWith({ resolve_after: '2m' })

  test('is one that fires for the third time within an hour', () => {
    const { moves, alert } = looks(rule, '100010001', 0)

    expect(moves).toBe('f..rf..rf')
    expect(alert).toMatchObject({ occurrences: 3, flapping: true })
  })

  test('must be calm for twice as long after each firing', () => {
    const third = looks(rule, '100010001', 0).state

    expect(looks(rule, '000000', 9, third).moves).toBe('....r.')
    expect(looks(rule, '00000100000000000', 9, third).moves).toMatch(/^\.{4}rf\.{8}r/)
  })

  test('must never be calm for more than an hour', () => {
    const fired = Array.from({ length: 20 }, (_, n) => iso(minute(n)))
    const stormy = opened({ flapping: true, fired, clear_since: iso(minute(0)) })

    expect(looks(rule, '0', 59, stormy).moves).toBe('.')
    expect(looks(rule, '0', 60, stormy).moves).toBe('r')
  })
})

describe('missing data', () => {
  test('changes nothing at first', () => {
    expect(looks(ruleWith(), '-'.repeat(60), 1, opened())).toMatchObject({ moves: '.'.repeat(60) })
  })

  test('resolves an alert after a day', () => {
    expect(looks(ruleWith(), '--', 1_440, opened())).toMatchObject({
      moves: '.r',
      alert: { resolution: 'no_data' },
    })
  })

  test('resolves an alert only after twice the window of its rule', () => {
    const rule = ruleWith({ window: '24h' })

    expect(looks(rule, '--', 2_880, opened()).moves).toBe('.r')
  })
})

describe('mails', () => {
  test.each([
    { what: 'at the first firing', change: {}, due: true },
    { what: 'at a firing soon after the last mail', change: { notified_at: iso(minute(-239)) }, due: false },
    { what: 'again when the rule repeats it', change: { notified_at: iso(minute(-240)) }, due: true },
    { what: 'once acknowledged', change: { status: 'acked' }, due: false },
  ] as const)('$what: $due', ({ change, due }) => {
    const { last } = opened(change)

    expect(last && isMailDue(ruleWith(), last, minute(0))).toBe(due)
  })

  test('a muted rule sends none until its mute ends', () => {
    const { last } = opened()
    const muted = ruleWith({ mute_until: iso(minute(10)) })

    expect(last && isMailDue(muted, last, minute(9))).toBe(false)
    expect(last && isMailDue(muted, last, minute(10))).toBe(true)
  })
})

test('an alert remembers its last hundred moves', () => {
  const { alert } = looks(ruleWith({ resolve_after: '0m' }), '10'.repeat(60), 0)

  expect(alert?.occurrences).toBeGreaterThan(2)
  expect(alert?.history.length).toBeLessThanOrEqual(100)
})
