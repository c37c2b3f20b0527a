import { beforeEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../shared/assure/walk/walk-day.ts'
import { sumOf, type WalkedDay, walkedDays } from '../../../../shared/assure/walk/day.ts'
import { walkExecutions } from '../../../../shared/assure/walk/walk-executions.ts'
import { windowStart } from '../../../../shared/base/lib/days.ts'
import { executions } from '../../../../shared/govern/executions/execution.ts'
import { SPACE } from '../../ledger/evidence/world.ts'
import { approvedAt, type CheckedSpace, checkedSpace, DAY, executionAt, HOUR, routing } from '../space.ts'

let it: CheckedSpace
let runs = 0
beforeEach(async () => {
  it = await checkedSpace()
})

const MINUTE = 60_000
const now = () => it.clock.now()

/** One run that goes on until it has walked the last 90 days. */
async function walk(items = 25_000, run_id = `run_${(runs += 1)}`): Promise<WalkedDay[]> {
  for (;;) {
    const days = await walkExecutions(it.ctx, { run_id, since: windowStart(90, now()), budget: new Budget(items) })
    if (days) return days
  }
}

const tallyOf = (days: readonly WalkedDay[], check: string) =>
  sumOf(days.flatMap(({ tallies }) => tallies[check] ?? []))
const dayOf = (days: readonly WalkedDay[], at: number) =>
  days.find(({ date }) => date === new Date(at).toISOString().slice(0, 10))

async function settle(id: string, over: object): Promise<void> {
  const was = await it.ctx.table.get(executions, { ...SPACE, id })
  if (was) await it.ctx.table.commit([executions.replace({ ...was, ...over }, was)])
}

describe('an execution', () => {
  test('is counted once, on the day of its request, when it has run or ended', async () => {
    const asked = now() - 3 * DAY
    await it.store(executionAt(asked))
    await it.store(executionAt(asked, { status: 'rejected' }))
    await walk()
    const days = await walk()

    expect(tallyOf(days, 'IAM-10')).toMatchObject({ numerator: 2, denominator: 2 })
    expect(dayOf(days, asked)?.tallies['IAM-10']?.denominator).toBe(2)
  })

  test('that is approved three days after its request is counted then, on the day of the request', async () => {
    const asked = now() - HOUR
    const { execution, approval } = approvedAt(asked)
    await it.store({ ...execution, status: 'pending_approval' }, approval)
    expect(tallyOf(await walk(), 'GOV-01').denominator).toBe(0)
    it.later(3 * DAY)
    await settle(execution.id, { status: 'executed' })
    await walk()
    const days = await walk()

    expect(dayOf(days, asked)?.tallies['GOV-01']).toMatchObject({ numerator: 1, denominator: 1 })
    expect(dayOf(days, asked)?.open).toEqual([])
    expect(tallyOf(days, 'GOV-01').denominator).toBe(1)
  })

  test('that hangs while it executes is counted after an hour', async () => {
    const at = now() - 10 * MINUTE
    await it.store(executionAt(at, { status: 'executing', routing: routing('HARD', 'verb') }))
    expect(tallyOf(await walk(), 'GOV-02').denominator).toBe(0)
    it.later(HOUR)

    expect(tallyOf(await walk(), 'GOV-02')).toMatchObject({ numerator: 0, denominator: 1, failing_count: 1 })
  })

  test('whose id is four minutes older than those before it is found', async () => {
    await it.store(executionAt(now() - 6 * MINUTE))
    await walk()
    await it.store(executionAt(now() - 4 * MINUTE))
    await walk()
    it.later(10 * MINUTE)

    expect(tallyOf(await walk(), 'IAM-10').denominator).toBe(2)
  })

  test('that somebody has put into the table with a broken shape stops nothing', async () => {
    const broken = executionAt(now() - HOUR)
    await it.store({ ...broken, routing: '{' })
    await it.store(executionAt(now() - HOUR, { evaluations: '{' }))

    expect(tallyOf(await walk(), 'GOV-01')).toMatchObject({ denominator: 1, failing_ids: [broken.id] })
  })
})

describe('two runs at once', () => {
  test('count each execution once', async () => {
    for (let day = 0; day < 3; day += 1) {
      for (let made = 0; made < 10; made += 1) await it.store(executionAt(now() - day * DAY - HOUR))
    }
    const [one, other] = await Promise.all([walk(7), walk(7), walk(7)])

    expect(tallyOf(one, 'IAM-10').denominator).toBe(30)
    expect(tallyOf(other, 'IAM-10').denominator).toBe(30)
    expect(tallyOf(await walk(), 'IAM-10').denominator).toBe(30)
  })
})

describe('a walk', () => {
  test('goes on where a message ended, and reads those that are open once in a run', async () => {
    for (let made = 0; made < 25; made += 1) {
      await it.store(executionAt(now() - 2 * DAY, { status: made % 2 ? 'executed' : 'pending_approval' }))
    }
    const days = await walk(4)

    expect(tallyOf(days, 'IAM-10').denominator).toBe(12)
    expect(dayOf(days, now() - 2 * DAY)?.open).toHaveLength(13)
    expect(tallyOf(await walk(4), 'IAM-10').denominator).toBe(12)
  })

  test('that is up to date reads nothing but what is new and what is open', async () => {
    for (let day = 1; day < 40; day += 1) await it.store(executionAt(now() - day * DAY))
    const open = executionAt(now() - 5 * DAY, { status: 'pending_approval' })
    await it.store(open)
    await walk()
    it.later(HOUR)
    await it.store(executionAt(now() - 10 * MINUTE))
    const read: string[] = []
    it.table.hooks.before = ({ name, input }) => {
      if (name === 'BatchGetItem' || name === 'GetItem') read.push(JSON.stringify(input))
    }
    await walk()

    expect([...new Set(read.join().match(/EXEC#exe_\w+/g))]).toHaveLength(2)
    expect(read.join()).toContain(open.id)
  })

  test('counts the window anew when the rules have changed', async () => {
    await it.store(executionAt(now() - DAY))
    const [day] = (await walk()).filter(({ tallies }) => tallies['IAM-10'])
    const stored = await it.ctx.table.get(walkedDays, { ...SPACE, date: day?.date ?? '' })
    if (stored) await it.ctx.table.commit([walkedDays.replace({ ...stored, rules: 'GOV-01@0' }, stored)])

    expect(tallyOf(await walk(), 'IAM-10').denominator).toBe(1)
  })

  test('of a day with more open ones than are kept counts that day anew with each run', async () => {
    const at = now() - 2 * DAY
    await it.store(executionAt(at))
    await walk()
    const date = new Date(at).toISOString().slice(0, 10)
    const stored = await it.ctx.table.get(walkedDays, { ...SPACE, date })
    if (stored) await it.ctx.table.commit([walkedDays.replace({ ...stored, overflown: true }, stored)])
    await it.store(executionAt(at))

    expect(tallyOf(await walk(), 'IAM-10').denominator).toBe(2)
    expect(dayOf(await walk(), at)).not.toHaveProperty('overflown')
  })
})

describe('who asked', () => {
  test.each([
    ['a key of the tenant', {}, true],
    ['a person of the tenant', { type: 'user', id: 'usr_maker' }, true],
    ['the service', { type: 'system', id: 'system' }, true],
    ['a key that nobody made', { type: 'api_key', id: 'key_stranger' }, false],
    ['a client that nobody made', { type: 'client', id: 'cli_01J9Z3K4M5N6P7Q8R9S0T1V2W3' }, false],
    ['an id that no key of the table can hold', { type: 'user', id: 'usr#maker' }, false],
  ])('%s', async (_, requested_by, known) => {
    const { requested_by: agent } = executionAt(now())
    await it.store(executionAt(now() - HOUR, { requested_by: { ...agent, ...requested_by } }))

    expect(tallyOf(await walk(), 'IAM-10').numerator).toBe(known ? 1 : 0)
  })
})
