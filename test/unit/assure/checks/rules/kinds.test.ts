import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../../shared/assure/checks/check.ts'
import { isBeyond, isWithin, population, setting } from '../../../../../shared/assure/checks/rules/kinds.ts'
import { ago, judge, NOW } from './make.ts'

const members = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `m${String(i).padStart(3, '0')}` }))
const about = { who: 'members', what: 'hold' }

describe('a check of a population', () => {
  test('names the 20 smallest that do not hold, and counts all of them', () => {
    const found = population({ ...about, members: members(30).toReversed(), holds: ({ id }) => id < 'm005' })

    expect(found).toMatchObject({ status: 'fail', numerator: 5, denominator: 30, failing_count: 25 })
    expect(found.failing_ids).toEqual(
      members(25)
        .slice(5)
        .map(({ id }) => id),
    )
    expect(found.detail).toBe('5 of 30 members hold.')
  })

  test.each<[number, Finding['status']]>([
    [95, 'pass'],
    [94, 'fail'],
  ])('passes from the share on that is asked for: %i of 100', (count, status) => {
    const holds = ({ id }: { id: string }) => Number(id.slice(1)) < count

    const found = population({ ...about, members: members(100), holds, percent: 95 })

    expect(found.status).toBe(status)
    expect(found.detail).toBe(`${count} of 100 members hold; 95 % are asked for.`)
  })

  test('names an id once, however often it does not hold', () => {
    const twice = [{ id: 'a' }, { id: 'a' }]

    expect(population({ ...about, members: twice, holds: () => false })).toMatchObject({
      failing_ids: ['a'],
      failing_count: 1,
    })
  })
})

test('a setting that the plan does not have is not applicable', () => {
  expect(setting({ holds: false, offered: false, detail: 'Off.' }).status).toBe('not_applicable')
})

test('a time that cannot be read lies neither within a span nor beyond it', () => {
  expect([isWithin('never', 1, NOW), isBeyond('never', 1, NOW)]).toEqual([false, false])
})

describe.each([
  ['IAM-08', 'access_review', 90],
  ['OPS-06', 'restore_test', 365],
  ['OPS-07', 'scan', 30],
])('%s, over evidence of kind %s', (id, kind, days) => {
  const piece = (of: string, collected: number) => ({ id: 'evd_1', kind: of, collected_at: ago(collected) })

  test(`passes with one that was collected ${days} days ago`, () => {
    expect(judge(id, { submitted: [piece(kind, days)] })).toMatchObject({ status: 'pass', numerator: 1 })
  })

  test('fails with an older one, and says of when it is', () => {
    const found = judge(id, { submitted: [piece(kind, days + 1), piece(kind, days + 100)] })

    expect(found.status).toBe('fail')
    expect(found.detail).toContain(`The newest is of ${ago(days + 1).slice(0, 10)}.`)
  })

  test('fails with fresh evidence of another kind', () => {
    expect(judge(id, { submitted: [piece('policy', 1)] }).status).toBe('fail')
  })
})
