import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dedup, pairsOf } from '../../../../shared/learn/samples/pair.ts'
import { distance, featuresOf, jaccard, simHash } from '../../../../shared/learn/samples/features.ts'
import { withFeedback } from '../../../../shared/learn/samples/label.ts'
import { shareOf, splitOf } from '../../../../shared/learn/samples/sample.ts'
import { AT, sample } from './make.ts'

describe('feedback', () => {
  const label = { side: 'chosen', confidence: 0.9, source: 'human', decided_at: AT } as const

  test('that agrees adds a tenth, up to 1', () => {
    expect(withFeedback({ ...label, confidence: 0.6 }, ['good', 'good'])).toMatchObject({ confidence: 0.7 })
    expect(withFeedback(label, ['good'])).toMatchObject({ confidence: 1, source: 'human' })
  })

  test('that contradicts turns the side over', () => {
    expect(withFeedback(label, ['bad'])).toMatchObject({ side: 'rejected', confidence: 0.7, source: 'feedback' })
  })

  test('of people who contradict each other leaves the sample out', () => {
    expect(withFeedback(label, ['bad', 'good'])).toBeUndefined()
  })
})

describe('of equal samples', () => {
  test('on one side the most confident stays', () => {
    const all = [sample('a', { content: 'x', confidence: 0.5 }), sample('b', { content: 'x' })]
    expect(dedup(all)).toMatchObject({ samples: [{ id: 'b' }], duplicates: 1, conflicts: 0 })
  })

  test('on both sides the judged one stays, then the later decision', () => {
    const presumed = sample('a', { content: 'x', source: 'presumed', confidence: 0.99, decided_at: 9 })
    const no = sample('b', { content: 'x', side: 'rejected', confidence: 0.7, decided_at: 1 })
    const yes = sample('c', { content: 'x', confidence: 0.7, decided_at: 2 })

    expect(dedup([presumed, no])).toMatchObject({ samples: [{ id: 'b' }], conflicts: 1, duplicates: 0 })
    expect(dedup([no, yes])).toMatchObject({ samples: [{ id: 'c' }], conflicts: 1 })
  })

  test('nearly equal ones on one side of one prompt are one, but other numbers are other samples', () => {
    const words = Array.from({ length: 400 }, (_, n) => `word${n}x`).join(' ')
    const [first, second] = [sample('a', { payload: words }), sample('b', { payload: `${words} more`, confidence: 1 })]

    expect(distance(first.simhash, second.simhash)).toBeLessThanOrEqual(3)
    expect(dedup([first, second]).samples.map(({ id }) => id)).toEqual(['b'])
    expect(dedup([first, { ...second, side: 'rejected' }]).samples).toHaveLength(2)
    expect(dedup([first, { ...second, group: 'g2' }]).samples).toHaveLength(2)
    const [five, six] = [5, 6].map((amount) => simHash(featuresOf({ amount, note: 'Late fee' })))
    expect(five && six && distance(five, six)).toBeGreaterThan(3)
  })
})

describe('pairs', () => {
  test('join the most similar answers of one prompt, each used once', () => {
    const all = [
      sample('a', { payload: 'refund the late fee' }),
      sample('b', { side: 'rejected', payload: 'delete everything', confidence: 1 }),
      sample('c', { side: 'rejected', payload: 'refund the whole fee' }),
      sample('d', { group: 'g2' }),
    ]
    expect(pairsOf(all, 1).map(({ chosen, rejected }) => [chosen.id, rejected.id])).toEqual([['a', 'c']])
    expect(pairsOf(all, 2).map(({ chosen, rejected }) => [chosen.id, rejected.id])).toEqual([
      ['a', 'c'],
      ['a', 'b'],
    ])
  })

  const SAMPLES = fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1 }),
      side: fc.constantFrom('chosen' as const, 'rejected' as const),
      group: fc.constantFrom('g1', 'g2', 'g3'),
      confidence: fc.constantFrom(0.6, 0.9, 1),
      payload: fc.constantFrom('a b c', 'a b', 'c'),
    }),
    { selector: ({ id }) => id, maxLength: 20 },
  )

  test('never hold a sample more often than asked for, never twice the same, and do not depend on the order', () => {
    fc.assert(
      fc.property(SAMPLES, fc.integer({ min: 1, max: 4 }), (drafts, most) => {
        const all = drafts.map(({ id, ...rest }) => sample(id, rest))
        const pairs = pairsOf(all, most)
        const names = pairs.map(({ chosen, rejected }) => JSON.stringify([chosen.id, rejected.id]))
        const uses = Map.groupBy(
          pairs.flatMap(({ chosen, rejected }) => [chosen.id, rejected.id]),
          (id) => id,
        )

        expect(new Set(names).size).toBe(names.length)
        for (const used of uses.values()) expect(used.length).toBeLessThanOrEqual(most)
        for (const { chosen, rejected } of pairs)
          expect([chosen.side, rejected.side, chosen.group]).toEqual(['chosen', 'rejected', rejected.group])
        expect(pairsOf(all.toReversed(), most)).toEqual(pairs)
      }),
    )
  })
})

describe('a split', () => {
  test('gives each key its own share', () => {
    expect(['g1', 'g2'].map((key) => Number(shareOf(key).toFixed(4)))).toEqual([0.4417, 0.3015])
  })

  test('by group leaves no prompt on both sides', () => {
    const all = Array.from({ length: 400 }, (_, n) => sample(`s${n}`, { group: `p${n % 40}` }))
    const { kind, isTest } = splitOf(all, { split: 'group', test_fraction: 0.3 })
    const groups = (tested: boolean) => new Set(all.filter((one) => isTest(one) === tested).map(({ group }) => group))

    expect(kind).toBe('group')
    expect([...groups(true)].filter((group) => groups(false).has(group))).toEqual([])
    expect(groups(true).size).toBeGreaterThan(3)
  })

  test('of fewer than ten prompts goes by sample, and says so', () => {
    const all = Array.from({ length: 9 }, (_, n) => sample(`s${n}`, { group: `p${n}` }))
    expect(splitOf(all, { split: 'group', test_fraction: 0.3 }).kind).toBe('sample')
  })

  test('by time tests the newest part', () => {
    const all = Array.from({ length: 10 }, (_, n) => sample(`s${n}`, { requested_at: n }))
    const { isTest } = splitOf(all, { split: 'time', test_fraction: 0.2 })
    expect(all.filter(isTest).map(({ id }) => id)).toEqual(['s8', 's9'])
  })
})

test('the share of equal words is 1 for equal payloads and 0 for others', () => {
  const [one, other] = [featuresOf({ a: 'x y' }), featuresOf({ b: 'x y' })]
  expect([jaccard(one, one), jaccard(one, other)]).toEqual([1, 0])
})
