import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { addNow, additionWrite, below, Sums, sumsAre } from '../../../../shared/base/kernel/count.ts'
import { entity } from '../../../../shared/base/table/entity.ts'
import { ConditionFailed, type Table } from '../../../../shared/base/table/table.ts'
import { world } from '../../ledger/evidence/world.ts'

const counters = entity({
  name: 'COUNTER',
  unbound: 'bounded',
  schema: z.looseObject({}),
  key: ({ id }: { id: string }) => ({ pk: 'COUNTERS', sk: id }),
})
const at = counters.key({ id: 'a' })

let table: Table
beforeEach(() => {
  table = world().ctx.table
})

const stored = async () => {
  const { _v, ...members } = { ...(await table.get(counters, { id: 'a' })) }
  return members
}

describe('an addition', () => {
  test('begins its item, and adds to what is there', async () => {
    await addNow(table, { at, add: [['total', 2]] })
    await table.commit([additionWrite({ at, add: [['total', 3n]] })])

    expect(await stored()).toMatchObject({ total: 5 })
  })

  test('happens with its whole transaction or not at all', async () => {
    await addNow(table, { at, add: [['total', 2]] })
    const full = additionWrite({ at, add: [['total', 1]], condition: below('total', 2) })
    const other = additionWrite({ at: counters.key({ id: 'b' }), add: [['total', 1]] })

    await expect(table.commit([other, full])).rejects.toThrow(ConditionFailed)
    await expect(addNow(table, { at, add: [['total', 1]], condition: below('total', 2) })).rejects.toThrow(
      ConditionalCheckFailedException,
    )
    expect(await table.get(counters, { id: 'b' })).toBeUndefined()
    expect(await stored()).toMatchObject({ total: 2 })
  })

  test('that is refused says what it met', async () => {
    await addNow(table, { at, add: [['total', 2]] })
    const refused = addNow(table, { at, add: [['total', 1]], condition: below('total', 2) })

    await expect(refused).rejects.toMatchObject({ Item: { total: { N: '2' } } })
  })

  test('writes some members always, some only first, and takes others away', async () => {
    const add = [['n', 1]] as const
    await addNow(table, { at, add, set: { last: 1, none: undefined }, first: { since: 1 } })
    await addNow(table, { at, add, set: { last: 2, old: true }, first: { since: 2 } })
    await addNow(table, { at, add, remove: ['old'] })

    expect(await stored()).toEqual({ pk: 'COUNTERS', sk: 'a', n: 3, last: 2, since: 1 })
  })

  test('keeps the sum before the first addition of a name, and begins where it is told', async () => {
    await addNow(table, { at, add: [['t', 4]], from: { t: 10 }, before: { m1: 't' } })
    await addNow(table, { at, add: [['t', 4]], from: { t: 10 }, before: { m1: 't' } })
    await addNow(table, { at, add: [['t', 4]], from: { t: 10 }, before: { m2: 't' } })

    expect(await stored()).toMatchObject({ t: 22, m1: 0, m2: 18 })
  })
})

describe('sums', () => {
  const item = { ...at, type: 'SUM' }

  test('of many additions are one write for each item', async () => {
    const sums = new Sums()
    sums.add(item, 'a.b', 2)
    sums.add(item, 'a.b', 3)
    sums.add(item, 'nothing', 0)
    sums.add({ ...item, sk: 'b' }, 'a.b', 1)
    await table.commit(sums.writes())

    expect([sums.size, sums.widest, sums.writes().length]).toEqual([2, 1, 2])
    expect(await stored()).toMatchObject({ 'a.b': 5, _type: 'SUM' })
  })

  test('have room for the names of many series in one write', async () => {
    const sums = new Sums()
    for (let n = 0; n < 270; n += 1) sums.add(item, `a.series.with.a.name.${n}`, n + 1)
    await table.commit(sums.writes())

    expect(await stored()).toMatchObject({ 'a.series.with.a.name.0': 1, 'a.series.with.a.name.269': 270 })
  })

  test('are put in the place of what was there', async () => {
    await addNow(table, { at, add: [['old', 2]] })
    await table.commit([sumsAre(item, { total: 1 })])

    expect(await stored()).toEqual({ pk: 'COUNTERS', sk: 'a', total: 1, _type: 'SUM' })
  })
})
