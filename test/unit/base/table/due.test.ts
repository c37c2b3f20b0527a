import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { DUE_SHARDS, dueAt, duePartitions, timeOfDue } from '../../../../shared/base/table/due.ts'

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 })
const at = Date.parse('2026-11-20T22:59:59.999Z')
const hours = (from: number, to: number) => [...new Set(duePartitions(from, to).map((pk) => pk.slice(4, 17)))]

describe('the partitions of a walk', () => {
  test('are those of every hour from its beginning to its end, in all shards', () => {
    expect(hours(at, at)).toEqual(['2026-11-20T22'])
    expect(hours(at, at + 1)).toEqual(['2026-11-20T22', '2026-11-20T23'])
    expect(duePartitions(at, at)).toHaveLength(DUE_SHARDS)
    expect(duePartitions(at, at - 3_600_000)).toEqual([])
  })

  test('cross midnight and the end of a year', () => {
    expect(hours(Date.parse('2026-12-31T23:30:00Z'), Date.parse('2027-01-01T00:30:00Z'))).toEqual([
      '2026-12-31T23',
      '2027-01-01T00',
    ])
  })

  test('leave no gap between two walks that follow each other', () => {
    const step = fc.integer({ min: 0, max: 86_400_000 })
    fc.assert(
      fc.property(instant, step, step, (from, first, second) => {
        const [middle, to] = [from + first, from + first + second]
        const parts = new Set([...duePartitions(from, middle), ...duePartitions(middle, to)])
        expect([...parts]).toEqual(duePartitions(from, to))
      }),
    )
  })
})

describe('an item that falls due', () => {
  test('is found in a partition of its hour, at its instant', () => {
    fc.assert(
      fc.property(instant, fc.uuid(), (due, id) => {
        const { gsi2pk = '', gsi2sk = '' } = dueAt(iso(due), id)
        expect(duePartitions(due, due)).toContain(gsi2pk)
        expect(timeOfDue(gsi2sk)).toBe(due)
      }),
    )
  })

  test('orders by its instant inside the hour', () => {
    const sorts = [0, 1, 999, 60_000, 3_599_999].map((ms) => dueAt(iso(at - 3_599_999 + ms), 'x').gsi2sk ?? '')

    expect(sorts.toSorted()).toEqual(sorts)
  })

  test('leaves the index when it waits for nothing', () => {
    expect(dueAt(undefined, 'x')).toEqual({})
  })

  test('is spread over all shards', () => {
    const partitions = new Set(Array.from({ length: 500 }, (_, i) => dueAt(iso(at), `id${i}`).gsi2pk))

    expect(partitions.size).toBe(DUE_SHARDS)
  })
})
