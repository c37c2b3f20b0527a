import { expect, test } from 'vitest'
import { featuresOf, minus, WEIGHTS } from '../../../../shared/base/scorer/features.ts'
import { type Linear, score } from '../../../../shared/base/scorer/weights-file.ts'
import { fit, mulberry32 } from '../../../../shared/learn/trainers/embedded/fit.ts'
import { Hyperparameters } from '../../../../shared/learn/trainers/trainer.ts'
import { type Example, matrixOf } from '../../../../shared/learn/trainers/embedded/matrix.ts'

const CONTEXT = 'a.b.c/do'

const example = (payload: object, y: 0 | 1, weight: number): Example => ({
  features: featuresOf(CONTEXT, payload),
  y,
  weight,
})

const ROWS = [
  example({ ok: true, n: 5 }, 1, 1),
  example({ ok: false, n: 5 }, 0, 1),
  example({ ok: true, n: 50 }, 1, 0.9),
  example({ ok: false }, 0, 0.6),
]

function trained(rows: Example[], settings: object): Linear {
  const run = fit(matrixOf(rows), Hyperparameters.parse(settings))
  for (;;) {
    const { value, done } = run.next()
    if (done) return value
  }
}

test('the reference rows give the reference model', () => {
  const model = trained(ROWS, { seed: 7 })

  expect(score(model, CONTEXT, { ok: true, n: 5 })).toBeCloseTo(0.807363, 6)
  expect(score(model, CONTEXT, { ok: false, n: 5 })).toBeCloseTo(0.226343, 6)
  expect(score(model, CONTEXT, { zzz: 1 })).toBeCloseTo(0.38367, 6)
  expect(model.bias).toBeCloseTo(-0.144925, 6)
})

test('the same seed gives the same weights, another seed others', () => {
  const bytes = (seed: number) => Buffer.from(trained(ROWS, { seed }).weights.buffer).toString('hex')
  expect(bytes(7)).toBe(bytes(7))
  expect(bytes(8)).not.toBe(bytes(7))
})

test('control comes back after each epoch, and losses fall', () => {
  const losses = [...fit(matrixOf(ROWS), Hyperparameters.parse({ epochs: 4 }))].map(({ loss }) => loss)
  expect(losses).toHaveLength(4)
  expect(losses[3]).toBeLessThan(losses[0] ?? 0)
})

test('pairs teach which of two is preferred, in both directions', () => {
  const a = featuresOf(CONTEXT, { ok: true })
  const b = featuresOf(CONTEXT, { ok: false })
  const pairs: Example[] = [
    { features: minus(a, b), y: 1, weight: 1 },
    { features: minus(b, a), y: 0, weight: 1 },
  ]
  const model = trained(pairs, {})
  expect(score(model, CONTEXT, { ok: true })).toBeGreaterThan(score(model, CONTEXT, { ok: false }))
})

/** Approved below an amount of 100, refunds of friends never; 10 % of what people say is noise. */
function noisy(random: () => number, rushed: number): { example: Example; right: 0 | 1; payload: object } {
  const amount = Math.floor(random() * 300)
  const reason = random() < 0.3 ? 'for a friend' : 'damaged goods'
  const right = amount < 100 && reason !== 'for a friend' ? 1 : 0
  const said = random() < 0.1 ? ((1 - right) as 0 | 1) : right
  const payload = { amount, reason }
  const hasty = random() < rushed
  return { payload, right, example: example(payload, hasty ? 1 : said, hasty ? 0.3 : 1) }
}

test.each([
  [0, 0.015],
  [0.3, 0.03],
])('with a share of %s approvals in haste the model is within %s of the best possible', (rushed, within) => {
  const random = mulberry32(11)
  const rows = Array.from({ length: 4_000 }, () => noisy(random, rushed).example)
  const model = trained(rows, { seed: 1 })
  const fresh = Array.from({ length: 2_000 }, () => noisy(random, 0))
  const right = fresh.filter((row) => Number(score(model, CONTEXT, row.payload) >= 0.5) === row.example.y).length
  const best = fresh.filter((row) => row.right === row.example.y).length
  expect((best - right) / fresh.length).toBeLessThan(within)
  expect(model.weights).toHaveLength(WEIGHTS)
})
