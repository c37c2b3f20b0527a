import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attentionOf, type Cast, isRushed } from '../../../../shared/govern/approvals/votes/attention.ts'

const at = (ms: number) => new Date(1_800_000_000_000 + ms).toISOString()
const cast = (person: string, requested: number, voted: number): Cast => ({
  persons: [person],
  requested_at: at(requested),
  at: at(voted),
})

describe('attention to a vote', () => {
  test('is the time since the request', () => {
    expect(attentionOf([cast('ada', 0, 12_500)])).toEqual([12.5])
  })

  test('is the time since the last vote of the same person, if that is less', () => {
    expect(attentionOf([cast('ada', 0, 60_000), cast('ada', 0, 62_000), cast('ben', 0, 62_500)])).toEqual([60, 2, 62.5])
  })

  test('counts votes with another credential of the same person', () => {
    const byKey = { ...cast('ada', 0, 61_000), persons: ['ben', 'ada'] }
    expect(attentionOf([cast('ada', 0, 60_000), byKey])).toEqual([60, 1])
  })

  test('is 0 for all votes of a batch, also for the first', () => {
    expect(attentionOf(Array.from({ length: 50 }, () => cast('ada', 0, 3_600_000)))).toEqual(
      Array.from({ length: 50 }, () => 0),
    )
  })

  test('makes a vote rushed below 3 seconds', () => {
    expect([2.999, 3, 3.001].map(isRushed)).toEqual([true, false, false])
  })

  test('does not depend on the order of the votes, and never exceeds the time since the request', () => {
    const votes = fc.array(
      fc.record({ person: fc.constantFrom('ada', 'ben', 'cyd'), requested: fc.nat(9_000), after: fc.nat(9_000) }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(votes, (some) => {
        const casts = some.map(({ person, requested, after }) => cast(person, requested, requested + after))
        const forward = attentionOf(casts)
        expect(attentionOf(casts.toReversed()).toReversed()).toEqual(forward)
        for (const [index, { after }] of some.entries()) expect(forward[index]).toBeLessThanOrEqual(after / 1_000)
      }),
    )
  })
})
