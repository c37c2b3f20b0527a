// Simulated tests of two equal arms, looked at again and again: no more than 5 of 100 may find a difference.
import { describe, expect, test } from 'vitest'
import { nextP } from '../../../../shared/learn/statistics/sequential.ts'
import {
  clustered,
  type Effect,
  independent,
  paired,
  type Share,
} from '../../../../shared/learn/statistics/variance.ts'

const RUNS = 2_000
const ALPHA = 0.05
const MIN_SAMPLES = 200

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shareOfWinners(run: (random: () => number) => Iterable<Effect>): number {
  let winners = 0
  for (let seed = 0; seed < RUNS; seed += 1) {
    let p = 1
    for (const seen of run(randomOf(seed * 7_919 + 1))) {
      p = nextP(p, seen)
      if (p > ALPHA) continue
      winners += 1
      break
    }
  }
  return winners / RUNS
}

describe('two equal arms', () => {
  const cases = [0.02, 0.5, 0.95].flatMap((rate) => [0.1, 0.5].map((split) => [rate, split] as const))

  test.each(cases)('rate %f, split %f: executions', (rate, split) => {
    const share = shareOfWinners(function* look(random) {
      const arms = emptyArms()
      for (let executions = 1; executions <= 4_000; executions += 1) {
        const arm = arms[random() < split ? 1 : 0]
        arm.n += 1
        if (random() < rate) arm.k += 1
        const isLook = executions % 100 === 0 && Math.min(arms[0].n, arms[1].n) >= MIN_SAMPLES
        if (isLook) yield independent(...arms)
      }
    })

    expect(share).toBeLessThanOrEqual(ALPHA)
  })

  test('units of 100 executions that resemble each other', () => {
    const share = shareOfWinners(function* look(random) {
      const rates = Array.from({ length: 60 }, () => unitRate(random))
      const units = rates.map(() => ({ n: 0, k: 0 }))
      for (let round = 1; round <= 100; round += 1) {
        units.forEach((unit, index) => {
          unit.n += 1
          if (random() < (rates[index] ?? 0)) unit.k += 1
        })
        if (round % 10 === 0) yield clustered(units.slice(0, 30), units.slice(30))
      }
    })

    expect(share).toBeLessThanOrEqual(ALPHA)
  })

  test('pairs', () => {
    const share = shareOfWinners(function* look(random) {
      const pairs = { n: 0, only_a: 0, only_b: 0 }
      while (pairs.n < 3_000) {
        pairs.n += 1
        if (random() < 0.15) pairs[random() < 0.5 ? 'only_a' : 'only_b'] += 1
        if (pairs.n % 100 === 0 && pairs.n >= MIN_SAMPLES) yield paired(pairs)
      }
    })

    expect(share).toBeLessThanOrEqual(ALPHA)
  })
})

const emptyArms = (): [Share, Share] => [
  { n: 0, k: 0 },
  { n: 0, k: 0 },
]

/** Beta(8, 1), the largest of eight uniform numbers: a correlation of 0.1 inside a unit. */
const unitRate = (random: () => number) => Math.max(...Array.from({ length: 8 }, random))

test('arms that differ are distinguished', () => {
  const share = shareOfWinners(function* look(random) {
    const arms = emptyArms()
    for (let executions = 1; executions <= 4_000; executions += 1) {
      const index = random() < 0.5 ? 1 : 0
      arms[index].n += 1
      if (random() < (index === 1 ? 0.9 : 0.8)) arms[index].k += 1
      if (executions % 100 === 0 && executions >= 500) yield independent(...arms)
    }
  })

  expect(share).toBeGreaterThan(0.95)
})
