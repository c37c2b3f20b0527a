// Each row of the table of suggestions, on both sides of each of its borders.
import { DAY_MS } from '../../../../shared/base/lib/clock.ts'
import { describe, expect, test } from 'vitest'
import { type Figures, figuresOf, type Observed } from '../../../../shared/learn/snapshots/figures.ts'
import { isUnread, type Question, suggestionFor } from '../../../../shared/learn/snapshots/suggest.ts'
import { careful, decided, ran, START } from './make.ts'

const BAD = { good: 0, bad: 1, unsafe: 0 }

const question = (all: readonly Observed[], of: Partial<Question> = {}): Question => ({
  node_id: 'crm.contacts.editor',
  kind: 'update',
  base_tier: 'HARD',
  current_tier: 'HARD',
  floor_tier: 'AUTO',
  reversible: true,
  incident: false,
  figures: figuresOf(all),
  ...of,
})

const suggested = (all: readonly Observed[], of: Partial<Question> = {}) => suggestionFor(question(all, of))?.to

describe('HARD to SOFT', () => {
  test('after 73 careful approvals, not after 72', () => {
    expect(suggested(careful(72))).toBeUndefined()
    expect(suggested(careful(73))).toBe('SOFT')
  })

  test('on seven days, not on six', () => {
    const on = (days: number) => careful(80, (n) => ({ at: new Date(START + (n % days) * DAY_MS + n).toISOString() }))

    expect(suggested(on(6))).toBeUndefined()
    expect(suggested(on(7))).toBe('SOFT')
  })

  test('with 20 looked at a second time, not with 19', () => {
    expect(suggested(careful(80, undefined, 19))).toBeUndefined()
    expect(suggested(careful(80, undefined, 20))).toBe('SOFT')
  })

  test('by two people, of whom nobody decided more than four in five', () => {
    const byAnn = (share: number) => careful(100, (n) => ({ careful_voters: [n < share ? 'ann' : 'ben'] }))

    expect(suggested(byAnn(100))).toBeUndefined()
    expect(suggested(byAnn(81))).toBeUndefined()
    expect(suggested(byAnn(80))).toBe('SOFT')
  })

  test('where the last 20 hold no rejection', () => {
    const at = (n: number) => new Date(START + n * (DAY_MS / 20)).toISOString()
    const rejectedAt = (place: number) =>
      careful(300, (n) => ({ at: at(n), ...(n === place && { verdict: 'rejected' as const }) }))

    expect(suggested(rejectedAt(280))).toBeUndefined()
    expect(suggested(rejectedAt(279))).toBe('SOFT')
  })

  test.each<[string, (all: Observed[]) => Observed[], Partial<Question>]>([
    ['an overturned approval', (all) => [ran(500, { decided: decided(0), feedback: BAD }), ...all], {}],
    ['a violation', (all) => [ran(500, { status: 'rejected', violation: 'low' }), ...all], {}],
    ['an incident', (all) => all, { incident: true }],
    ['an action that cannot be undone', (all) => all, { reversible: false }],
    ['a floor', (all) => all, { floor_tier: 'HARD' }],
    ['a kind that is never loosened', (all) => all, { kind: 'execute' }],
    ['a permission', (all) => all, { kind: 'permission' }],
    ['what is not understood', (all) => all, { kind: 'unknown' }],
    ['an action of the service', (all) => all, { node_id: 'platform.routing.rules' }],
    ['a command of an agent', (all) => all, { node_id: 'agent.command.runner' }],
  ])('not with %s', (_, change, of) => {
    expect(suggested(careful(100), {})).toBe('SOFT')
    expect(suggested(change(careful(100)), of)).toBeUndefined()
  })

  test('not by 500 approvals that nobody read, by keys, or by those who asked', () => {
    const rushed = careful(500, () => ({ rushed: true, careful_voters: [], attention: [0] }), 500)
    const keys = careful(500, () => ({ by: 'key', careful_voters: [] }), 500)
    const self = careful(500, () => ({ self: true, careful_voters: [] }), 500)

    expect([rushed, keys, self].map((all) => suggested(all))).toEqual([undefined, undefined, undefined])
    expect(isUnread(figuresOf(rushed))).toBe(true)
    expect(isUnread(figuresOf(keys))).toBe(false)
  })

  test('not while more than half of the approvals are not read', () => {
    const hasty = (n: number) => careful(n, () => ({ rushed: true, careful_voters: [] }))

    expect(suggested([...careful(100), ...hasty(100)])).toBe('SOFT')
    expect(suggested([...careful(100), ...hasty(101)])).toBeUndefined()
  })
})

describe('SOFT to AUTO', () => {
  const runs = (n: number, of: (index: number) => Partial<Observed> = () => ({})) =>
    Array.from({ length: n }, (_, index) => ran(index, { tier: 'SOFT', ...of(index) }))
  const reading: Partial<Question> = { kind: 'read', base_tier: 'AUTO', current_tier: 'SOFT' }

  test('after 125 runs, not after 124', () => {
    expect(suggested(runs(124), reading)).toBeUndefined()
    expect(suggested(runs(125), reading)).toBe('AUTO')
  })

  test('only for kinds that are AUTO by themselves', () => {
    expect(suggested(runs(500), { ...reading, kind: 'update', base_tier: 'SOFT' })).toBeUndefined()
  })

  test('not with bad feedback, many undone or many failed', () => {
    const one = (change: Partial<Observed>, every: number) => runs(500, (n) => (n % every === 0 ? change : {}))

    expect(suggested(one({ feedback: BAD }, 500), reading)).toBeUndefined()
    expect(suggested(one({ status: 'undone' }, 50), reading)).toBeUndefined()
    expect(suggested(one({ status: 'undone' }, 100), reading)).toBe('AUTO')
    expect(suggested(one({ status: 'failed' }, 20), reading)).toBeUndefined()
    expect(suggested(one({ status: 'failed' }, 50), reading)).toBe('AUTO')
  })
})

describe('what tightens', () => {
  const soft: Partial<Question> = { base_tier: 'SOFT', current_tier: 'SOFT' }
  const auto: Partial<Question> = { kind: 'read', base_tier: 'AUTO', current_tier: 'AUTO' }
  const undone = (bad: number, n: number) =>
    Array.from({ length: n }, (_, index) => ran(index, { tier: 'SOFT', status: index < bad ? 'undone' : 'executed' }))

  test('5 bad ones of 20, not 4, and not of 19', () => {
    expect(suggested(undone(4, 20), soft)).toBeUndefined()
    expect(suggested(undone(5, 20), soft)).toBe('HARD')
    expect(suggested(undone(19, 19), soft)).toBeUndefined()
    expect(suggested(undone(5, 20), auto)).toBe('SOFT')
  })

  test('one violation: a high one by a step, a critical one to HARD', () => {
    const violated = (violation: Observed['violation']) => [ran(1, { status: 'rejected', violation })]

    expect(suggested(violated('medium'), auto)).toBeUndefined()
    expect(suggested(violated('high'), auto)).toBe('SOFT')
    expect(suggested(violated('high'), soft)).toBe('HARD')
    expect(suggested(violated('critical'), auto)).toBe('HARD')
  })

  test('one feedback that calls it unsafe', () => {
    expect(suggested([ran(1, { tier: 'AUTO', feedback: { good: 0, bad: 1, unsafe: 1 } })], auto)).toBe('HARD')
  })

  test('comes before what loosens', () => {
    const all = [...careful(100), ran(500, { status: 'rejected', violation: 'critical' })]

    expect(suggested(all, { current_tier: 'SOFT' })).toBe('HARD')
  })
})

describe('figures', () => {
  test('are null where nothing was measured', () => {
    const none: Figures = figuresOf([])

    expect(none).toMatchObject({
      approval_rate: { n: 0, rate: null, ci95: null },
      mean_confidence: null,
      latency_ms: { p50: null, p95: null },
      quality: { rushed_share: null, top_share: null, attention_s_p50: null },
    })
  })

  test('count an expired approval as no rejection', () => {
    const all = [...careful(5), ran(9, { status: 'expired' }), ran(10, { status: 'cancelled' })]

    expect(figuresOf(all)).toMatchObject({ approvals: 5, rejections: 0, bad_rate: { k: 0, n: 5 } })
  })

  test('name 20 approved executions for a second look, the same in any order', () => {
    const all = careful(50)
    const { review_sample } = figuresOf(all).quality

    expect(review_sample).toHaveLength(20)
    expect(figuresOf(all.toReversed()).quality.review_sample).toEqual(review_sample)
  })

  test('hold nobody’s name', () => {
    expect(JSON.stringify(figuresOf(careful(30)))).not.toMatch(/ann|ben/)
  })
})
