import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auc, gateOf, measure, type Prediction } from '../../../../shared/learn/trainers/metrics/measure.ts'

const said = (p: number, y: 0 | 1): Prediction => ({ p, y, judged: true })

describe('metrics of a test', () => {
  test('are those of the definitions', () => {
    const found = measure([said(0.9, 1), said(0.8, 1), said(0.7, 0), said(0.1, 0)], 0.75)
    const log = (...probabilities: number[]) => -probabilities.reduce((sum, p) => sum + Math.log(p), 0) / 4

    expect(found).toMatchObject({ rows: 4, accuracy: 0.75, baseline_accuracy: 0.5, auc: 1 })
    expect(found.log_loss).toBeCloseTo(log(0.9, 0.8, 0.3, 0.9), 12)
    expect(found.baseline_log_loss).toBeCloseTo(log(0.75, 0.75, 0.25, 0.25), 12)
    expect(found.brier).toBeCloseTo((0.01 + 0.04 + 0.49 + 0.01) / 4, 12)
    expect(found.reliability).toHaveLength(10)
  })

  test('are null without rows', () => {
    const { rows, accuracy, auc: area, log_loss, brier } = measure([], 0.5)
    expect({ rows, accuracy, area, log_loss, brier }).toEqual({
      rows: 0,
      accuracy: null,
      area: null,
      log_loss: null,
      brier: null,
    })
  })

  test('the area under the curve is the share of pairs in the right order', () => {
    const row = fc.record({ p: fc.constantFrom(0.1, 0.2, 0.5, 0.9), y: fc.constantFrom(0 as const, 1 as const) })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        const pairs = rows.filter(({ y }) => y === 1).flatMap((a) => rows.filter(({ y }) => y === 0).map((b) => [a, b]))
        const right = pairs.reduce((sum, [a, b]) => sum + (Math.sign((a?.p ?? 0) - (b?.p ?? 0)) + 1) / 2, 0)
        const area = auc(rows)
        if (pairs.length === 0) expect(area).toBeNull()
        else expect(area).toBeCloseTo(right / pairs.length, 9)
      }),
    )
  })
})

describe('the quality gate', () => {
  const better = (n: number) => Array.from({ length: n }, (_, at) => said(at % 2 ? 0.9 : 0.2, at % 2 ? 1 : 0))

  test('needs 50 judged rows', () => {
    expect(gateOf(measure(better(49), 0.5))).toBe('none')
    expect(gateOf(measure(better(50), 0.5))).toBe('passed')
  })

  test('fails what states no more than the rate, and what cannot order', () => {
    const always = Array.from({ length: 100 }, (_, at) => said(0.95, at < 95 ? 1 : 0))
    expect(gateOf(measure(always, 0.95))).toBe('failed')
    const onlyYes = better(100).map((row) => ({ ...row, y: 1 as const, p: 0.99 }))
    expect(gateOf(measure(onlyYes, 0.5))).toBe('failed')
  })
})
