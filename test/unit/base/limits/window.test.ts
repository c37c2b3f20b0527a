import { beforeEach, describe, expect, test } from 'vitest'
import { type DailyFigures, type Figures, UNLIMITED } from '../../../../shared/base/limits/plans.ts'
import type * as Window from '../../../../shared/base/limits/window.ts'
import { systemRandom } from '../../../../shared/base/lib/clock.ts'
import { Table } from '../../../../shared/base/table/table.ts'
import { MemoryTable } from '../../../support/memory-table.ts'
import { type TestClock, testClock } from '../../../support/test-clock.ts'

process.env.LOG_LEVEL = 'off'

const NOON = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const MIDNIGHT = Date.UTC(2026, 10, 21)
// No figure is a multiple of another: otherwise one part of the condition could stand in for a missing one.
const figures: DailyFigures = { perMinute: 90, perSecond: 20, perDay: 250 }

type Take = (of?: Figures, pk?: string) => ReturnType<typeof Window.takeOne>

let clock: TestClock
let store: MemoryTable
beforeEach(() => {
  clock = testClock(NOON)
  store = new MemoryTable(clock.now)
})

let started = 0

/** A container: module state of its own, the same table. */
async function container(): Promise<Take> {
  const { takeOne }: typeof Window = await import(`../../../../shared/base/limits/window.ts?container=${++started}`)
  const table = new Table(store.client(), 'countersign', clock, systemRandom)
  return (of = figures, pk = 'T#ten_1#live#RL') => takeOne(table, pk, of)
}

const containers = (count: number) => Promise.all(Array.from({ length: count }, container))

/** How many of so many requests at once, the same number for each container, are admitted. */
async function admitted(takes: Take[], requests: number, of: Figures = figures): Promise<number> {
  const rounds = Array.from({ length: requests / takes.length }, () => takes.map((take) => take(of)))
  const verdicts = await Promise.all(rounds.flat())
  return verdicts.filter(({ retryAfterSeconds }) => !retryAfterSeconds).length
}

const to = (instant: number) => clock.moveTo(instant)

describe('exactly the figures are admitted', () => {
  test('of 200 at once over ten containers: the burst', async () => {
    expect(await admitted(await containers(10), 200)).toBe(20)
  })

  test('of a minute over ten containers: the minute, and the next minute begins anew', async () => {
    const takes = await containers(10)
    let sum = 0
    for (let second = 0; second < 10; second += 1) {
      to(NOON + second * 1_000)
      sum += await admitted(takes, 30)
    }
    expect(sum).toBe(90)

    to(NOON + 59_000)
    expect(await admitted(takes, 10)).toBe(0)
    to(NOON + MINUTE)
    expect(await admitted(takes, 10)).toBe(10)
  })

  test('of a day over three containers: the daily cap, and the next day begins anew', async () => {
    const takes = await containers(3)
    let sum = 0
    for (let minute = 0; minute < 30; minute += 1) {
      to(NOON + minute * MINUTE)
      sum += await admitted(takes, 15)
    }
    expect(sum).toBe(250)

    to(MIDNIGHT - 2_000)
    expect(await admitted(await containers(1), 3), 'a container that has seen nothing of the day').toBe(0)
    to(MIDNIGHT)
    expect(await admitted(takes, 15)).toBe(15)
  })

  test('where the day is unlimited, minute and burst still hold', async () => {
    const takes = await containers(1)
    let sum = 0
    for (let second = 0; second < 8; second += 1) {
      to(NOON + second * 1_000)
      sum += await admitted(takes, 25, { ...figures, perDay: UNLIMITED })
    }
    expect(sum).toBe(90)
  })

  test('where days are not counted, no total of the day is read', async () => {
    expect(await admitted(await containers(1), 25, { perMinute: 90, perSecond: 20 })).toBe(20)
    expect(store.calls.Query).toBeUndefined()
  })

  test('for each key by itself', async () => {
    const take = await container()
    await Promise.all(Array.from({ length: 30 }, () => take()))

    expect(await take()).toHaveProperty('retryAfterSeconds')
    for (const pk of ['T#ten_1#test#RL', 'T#ten_2#live#RL', 'RL#ip#127.0.0.1']) {
      expect(await take(figures, pk)).not.toHaveProperty('retryAfterSeconds')
    }
  })
})

describe('a refusal names the violated window', () => {
  const spend = async (take: Take, requests: number, of: Figures) => {
    for (let i = 0; i < requests; i += 1) await take(of)
    return take(of)
  }

  test('the burst ends with the second', async () => {
    to(NOON + 5_000)
    const verdict = await spend(await container(), 3, { perMinute: 100, perSecond: 3, perDay: 100 })

    expect(verdict).toEqual({ per: 'second', limit: 3, remaining: 0, reset: NOON / 1_000 + 6, retryAfterSeconds: 1 })
  })

  test('the minute ends with the minute, and comes before the burst', async () => {
    to(NOON + 15_000)
    const verdict = await spend(await container(), 3, { perMinute: 3, perSecond: 3, perDay: 100 })

    expect(verdict).toEqual({ per: 'minute', limit: 3, remaining: 0, reset: NOON / 1_000 + 60, retryAfterSeconds: 45 })
  })

  test('the day ends at midnight UTC, and comes before all', async () => {
    const verdict = await spend(await container(), 3, { perMinute: 3, perSecond: 3, perDay: 3 })

    expect(verdict).toEqual({ per: 'day', limit: 3, remaining: 0, reset: MIDNIGHT / 1_000, retryAfterSeconds: 43_200 })
  })

  test('a day that was spent in an earlier minute is refused by a new container', async () => {
    const of = { perMinute: 100, perSecond: 100, perDay: 3 }
    await spend(await container(), 3, of)
    to(NOON + 10 * MINUTE)

    expect(await (await container())(of)).toMatchObject({ limit: 3, reset: MIDNIGHT / 1_000 })
  })
})

describe('a spent window', () => {
  test('costs no more writes until it ends', async () => {
    const take = await container()
    const of = { perMinute: 100, perSecond: 2, perDay: 100 }
    for (let i = 0; i < 3; i += 1) await take(of)
    const before = store.calls.UpdateItem
    for (let i = 0; i < 50; i += 1) expect(await take(of)).toMatchObject({ retryAfterSeconds: 1, limit: 2 })
    expect(store.calls.UpdateItem).toBe(before)

    to(NOON + 1_000)
    expect(await take(of)).not.toHaveProperty('retryAfterSeconds')
  })

  test('counts down while it lasts', async () => {
    const take = await container()
    const of = { perMinute: 1, perSecond: 1, perDay: UNLIMITED }
    await take(of)
    expect(await take(of)).toMatchObject({ retryAfterSeconds: 60 })
    to(NOON + 20_000)
    expect(await take(of)).toMatchObject({ retryAfterSeconds: 40 })
    to(NOON + 59_990)
    expect(await take(of)).toMatchObject({ retryAfterSeconds: 1 })
  })

  test('is open again for a tenant that changes to a larger plan', async () => {
    const take = await container()
    const small = { perMinute: 100, perSecond: 100, perDay: 3 }
    for (let i = 0; i < 4; i += 1) await take(small)

    expect(await take({ ...small, perDay: 1_000 })).not.toHaveProperty('retryAfterSeconds')
    expect(await take({ perMinute: 100, perSecond: 100, perDay: 4 })).toMatchObject({
      limit: 4,
      retryAfterSeconds: 43_200,
    })
  })

  test('is open again for a plan whose figure of another window happens to be the spent one', async () => {
    const take = await container()
    for (let i = 0; i < 4; i += 1) await take({ perMinute: 100, perSecond: 100, perDay: 3 })
    to(NOON + 1_000)

    expect(await take({ perMinute: 100, perSecond: 3, perDay: UNLIMITED })).not.toHaveProperty('retryAfterSeconds')
  })
})

describe('a counter that does not answer', () => {
  test.each(['UpdateItem', 'Query'])('admits everything when %s fails', async (down) => {
    const take = await container()
    store.hooks.before = ({ name }) => {
      if (name === down) throw Object.assign(new Error('down'), { name: 'InternalServerError', $fault: 'server' })
    }

    for (let i = 0; i < 30; i += 1) {
      expect(await take()).toEqual({ per: 'minute', limit: 90, remaining: 90, reset: NOON / 1_000 + 60 })
    }
    store.hooks = {}
    expect(await admitted([take], 30)).toBe(20)
  })
})

test('the item of a minute is gone after two days', async () => {
  await (
    await container()
  )()

  const [item] = store.items('countersign')
  expect(item).toMatchObject({ sk: { S: '2026-11-20#12:00' }, m: { N: '1' }, s00: { N: '1' }, d: { N: '1' } })
  expect(Number(item?._ttl?.N)).toBe(NOON / 1_000 + 2 * 86_400)
})
