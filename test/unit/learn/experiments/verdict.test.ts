import { describe, expect, test } from 'vitest'
import { type Counted, type Plan, verdictOn } from '../../../../shared/learn/experiments/verdict.ts'

const plan: Plan = {
  shadow: false,
  split_b: 0.5,
  unit: 'execution',
  direction: 'higher',
  alpha: 0.05,
  min_samples: 200,
  min_effect: 0.01,
}
const one = (k: number, n: number) => [{ n, k }]
const arms = (a: [number, number], b: [number, number]): Counted => ({ a: one(...a), b: one(...b) })
const on = (counted: Counted, change: Partial<Plan> = {}, former = 1) =>
  verdictOn({ ...plan, ...change }, counted, [], former)

describe('the verdict on a test', () => {
  test('names the better arm, with what is usual beside it', () => {
    expect(on(arms([800, 1_000], [880, 1_000]))).toMatchObject({ winner: 'b', outcome: 'winner' })
    expect(on(arms([800, 1_000], [850, 1_000]))).toMatchObject({ reason: 'no_difference' })
    expect(on(arms([800, 1_000], [880, 1_000]), { direction: 'lower' })).toMatchObject({ winner: 'a' })
    const usual = on(arms([510, 1_000], [450, 1_000]))
    expect(usual.z).toBeCloseTo(-2.6854, 4)
    expect(usual.p_value).toBeCloseTo(0.00724, 5)
  })

  test.each<[string, Counted, Partial<Plan>]>([
    ['too_few_samples', arms([0, 199], [199, 201]), {}],
    ['no_difference', arms([800, 1_000], [805, 1_000]), {}],
    ['effect_too_small', arms([800_000, 1_000_000], [805_000, 1_000_000]), {}],
    ['sample_ratio', arms([800, 1_000], [1_100, 1_300]), {}],
    [
      'too_few_units',
      { a: Array.from({ length: 19 }, () => ({ n: 50, k: 40 })), b: one(900, 1_000) },
      { unit: 'agent' },
    ],
  ])('is inconclusive: %s', (reason, counted, change) => {
    expect(on(counted, change)).toMatchObject({ winner: null, outcome: 'inconclusive', reason })
  })

  test('keeps the smallest p-value of all looks, and begins with enough samples', () => {
    expect(on(arms([0, 100], [1, 1])).p_sequential).toBe(1)
    expect(on(arms([800, 1_000], [805, 1_000]), {}, 0.04).p_sequential).toBe(0.04)
    expect(on(arms([0, 199], [199, 201]), {}, 0.3).p_sequential).toBe(0.3)
  })

  test('counts the pairs of a shadow test', () => {
    const shadow = { shadow: true }
    const pairs = { n: 400, only_a: 20, only_b: 40 }

    expect(on({ a: [], b: [], pairs }, shadow)).toMatchObject({ effect: 0.05, srm_detected: false })
    expect(on({ a: [], b: [], pairs: { n: 400, only_a: 20, only_b: 80 } }, shadow)).toMatchObject({ winner: 'b' })
    expect(on({ a: [], b: [], pairs: { n: 199, only_a: 0, only_b: 199 } }, shadow)).toMatchObject({ winner: null })
  })

  test('takes the variance of units, not of their executions', () => {
    const units = (rates: number[]) => rates.flatMap((rate) => Array.from({ length: 10 }, () => ({ n: 100, k: rate })))
    const seen = { a: units([99, 60, 80]), b: units([99, 68, 85]) }

    expect(on(seen, { unit: 'agent' }).winner).toBeNull()
    expect(on(seen).winner).toBe('b')
  })

  test('a guardrail that is certainly broken leaves no winner', () => {
    const better = arms([800, 1_000], [900, 1_000])
    const guard = { metric: 'failure_rate', max_increase: 0.02, a: one(10, 1_000), b: one(200, 1_000) }

    expect(verdictOn(plan, better, [guard], 1)).toMatchObject({
      winner: null,
      reason: 'guardrail',
      guardrails: [{ metric: 'failure_rate', holds: false }],
    })
    expect(verdictOn(plan, better, [{ ...guard, b: one(15, 1_000) }], 1)).toMatchObject({ winner: 'b' })
  })
})
