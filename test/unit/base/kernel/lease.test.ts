import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { isHeld, lease, takeUnread, workLease } from '../../../../shared/base/kernel/lease.ts'
import { entity } from '../../../../shared/base/table/entity.ts'
import { ConditionFailed } from '../../../../shared/base/table/table.ts'
import { world, type World } from '../../ledger/evidence/world.ts'

const MINUTE = 60_000

const connections = entity({
  name: 'CONNECTION',
  unbound: 'bounded',
  schema: z.object({ id: z.string(), until: z.int().optional(), tokens: z.string().optional() }),
  key: ({ id }: { id: string }) => ({ pk: 'CONNECTIONS', sk: id }),
})
const turns = lease(connections, MINUTE, { of: ({ until }) => until, until: (until) => ({ until }) })

const jobs = entity({
  name: 'JOB',
  unbound: 'bounded',
  schema: z.object({ id: z.string(), attempt: z.int(), due_at: z.string().optional() }),
  key: ({ id }: { id: string }) => ({ pk: 'JOBS', sk: id }),
})
const work = workLease(jobs, MINUTE, 2)

const slots = entity({
  name: 'SLOT',
  unbound: 'bounded',
  schema: z.object({ holder: z.string(), until: z.int() }),
  key: ({ id }: { id: string }) => ({ pk: 'SLOTS', sk: id }),
})

let it: World
let time: number
let ctx: { table: World['ctx']['table']; now: () => number }
beforeEach(() => {
  it = world()
  time = it.clock.now()
  ctx = { table: it.ctx.table, now: () => time }
})

test.each([
  [undefined, false],
  [1_000, false],
  [1_001, true],
  ['1970-01-01T00:00:01.000Z', false],
  ['1970-01-01T00:00:01.001Z', true],
])('a lease that ends at %s is held at 1,000 ms: %s', (end, held) => {
  expect(isHeld(end, 1_000)).toBe(held)
})

test('an end further ahead than any lease reaches holds nothing', () => {
  expect(isHeld(1_000 + MINUTE, 1_000, MINUTE)).toBe(true)
  expect(isHeld(1_001 + MINUTE, 1_000, MINUTE)).toBe(false)
})

describe('a lease', () => {
  test('is taken by one process, also of an item that does not exist yet', async () => {
    const taken = await Promise.all([1, 2, 3].map(() => turns.take(ctx, { id: 'a' })))
    const stored = await ctx.table.get(connections, { id: 'a' })

    expect(taken.filter((one) => one !== undefined)).toEqual([stored])
    expect(stored?.until).toBe(time + MINUTE)
  })

  test('is taken by another process once it has ended or was given back', async () => {
    const first = await turns.take(ctx, { id: 'a' })
    if (!first) throw new Error('the first process did not get it')
    expect(await turns.take(ctx, first)).toBeUndefined()
    time += MINUTE
    const second = await turns.take(ctx, first)
    if (!second) throw new Error('the second process did not get it')
    await turns.release(ctx, second, { id: 'a', tokens: 'new' })

    const stored = await ctx.table.get(connections, { id: 'a' })
    expect(stored).toEqual({ id: 'a', tokens: 'new', _v: 3 })
    expect(await turns.take(ctx, stored ?? { id: 'a' })).toMatchObject({ tokens: 'new', _v: 4 })
  })

  test('that was lost can neither be renewed nor given back', async () => {
    const lost = await turns.take(ctx, { id: 'a' })
    if (!lost) throw new Error('the first process did not get it')
    time += MINUTE
    const held = await turns.take(ctx, lost, { tokens: 'of the second' })

    await expect(turns.renew(ctx, lost, { tokens: 'of the first' })).rejects.toThrow(ConditionFailed)
    await expect(turns.release(ctx, lost, { id: 'a' })).rejects.toThrow(ConditionFailed)
    expect(await ctx.table.get(connections, { id: 'a' })).toEqual(held)
  })

  test('is taken together with other writes, or not at all', async () => {
    const other = connections.insert({ id: 'b' })
    await ctx.table.commit([other])

    const taken = await turns.take(ctx, { id: 'a' }, {}, (next) => [connections.insert(next), other])

    expect(taken).toBeUndefined()
    expect(await ctx.table.get(connections, { id: 'a' })).toBeUndefined()
  })
})

describe('the lease of work from a queue', () => {
  const due_at = (ms: number) => new Date(time + ms).toISOString()

  test('counts the processes that took it, until none may', async () => {
    await ctx.table.commit([jobs.insert({ id: 'a', attempt: 0, due_at: due_at(MINUTE) })])
    for (const attempt of [1, 2]) {
      const was = await ctx.table.get(jobs, { id: 'a' })
      expect(was && work.isSpent(was)).toBe(false)
      expect(was && (await work.take(ctx, was))).toMatchObject({ attempt, due_at: due_at(MINUTE) })
      time += MINUTE
    }

    expect(work.isSpent((await ctx.table.get(jobs, { id: 'a' })) ?? { attempt: 0 })).toBe(true)
  })

  test('that was given back is free before the sweeper hands it out', async () => {
    const was = { id: 'a', attempt: 1, due_at: due_at(MINUTE) }

    expect(work.isHeld(was, time)).toBe(true)
    expect(work.isHeld({ ...was, ...work.waiting(time + MINUTE) }, time)).toBe(false)
  })
})

test('a lease that is taken unread has one holder, who may renew it', async () => {
  const take = (holder: string) =>
    takeUnread(ctx.table, slots.key({ id: 'a' }), {
      set: { holder, until: time + MINUTE },
      end: 'until',
      before: time,
      free: (ended) => `${ended} OR #holder = :me`,
      values: { ':me': holder },
    })

  expect(await Promise.all([take('one'), take('two')])).toEqual([true, false])
  time += MINUTE - 1
  expect([await take('two'), await take('one')]).toEqual([false, true])
  time += MINUTE
  expect([await take('two'), await take('one')]).toEqual([true, false])
})
