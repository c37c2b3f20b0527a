import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { dueAt } from '../../../../shared/base/table/due.ts'
import { entity, type Key } from '../../../../shared/base/table/entity.ts'
import { sweepDue, type SweepOptions } from '../../../../shared/base/table/sweep-due.ts'
import { type Deployment, deploy, TABLE } from '../../edge/deployment.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const jobs = entity({
  name: 'JOB',
  unbound: 'bounded',
  schema: z.object({ id: z.string(), due: z.string().optional() }),
  key: ({ id }: { id: string }) => ({ pk: `T#ten_1#live#JOB#${id}`, sk: 'JOB' }),
  index: ({ due, id }) => dueAt(due, id),
})

let service: Deployment
let start: number
let met: string[]
beforeEach(async () => {
  service = await deploy()
  start = service.clock.now()
  met = []
})

const job = (id: string, at: number) => service.ctx.table.commit([jobs.insert({ id, due: iso(at) })])
const jobOf = ({ pk }: Key) => pk.split('#').at(-1) ?? ''
const later = (ms: number) => service.clock.moveTo(start + ms)

/** Handles what is due by taking it out of the index, unless it is to fail. */
const sweep = (fails: readonly string[] = [], options: SweepOptions = {}) =>
  sweepDue(
    service.ctx.table,
    async (due) => {
      met.push(jobOf(due))
      if (fails.includes(jobOf(due))) throw new Error('not now')
      service.table.tamper(TABLE, due, () => undefined)
    },
    options,
  )

describe('a walk', () => {
  test('meets all that is due, and nothing that is not', async () => {
    await job('yesterday', start - 23 * HOUR)
    await job('now', start + MINUTE)
    await job('in a moment', start + 3 * MINUTE)
    await job('tomorrow', start + DAY)
    later(2 * MINUTE)
    await sweep()

    expect(met.toSorted()).toEqual(['now', 'yesterday'])
  })

  test('meets each thing once when it was handled', async () => {
    await job('a', start)
    later(MINUTE)
    await sweep()
    later(2 * MINUTE)
    await sweep()

    expect(met).toEqual(['a'])
  })

  test('meets again what failed, until it succeeds, and the failure of one spares the others', async () => {
    await job('bad', start)
    await job('good', start + 1)
    later(MINUTE)
    await sweep(['bad'])
    expect(met.toSorted()).toEqual(['bad', 'good'])

    for (const hours of [1, 5, 30]) {
      later(hours * HOUR)
      await sweep(['bad'])
    }
    later(31 * HOUR)
    await sweep()
    expect(met.filter((id) => id === 'bad')).toHaveLength(5)
    later(32 * HOUR)
    await sweep()
    expect(met.filter((id) => id === 'bad')).toHaveLength(5)
  })

  test('finds what fell due while no sweeper ran, be it for days', async () => {
    await sweep()
    for (const days of [0.01, 1, 2, 3, 4]) await job(`day ${days}`, start + days * DAY)
    later(5 * DAY)
    await sweep()

    expect(met).toHaveLength(5)
  })

  test('finds what an index showed late', async () => {
    later(MINUTE)
    await sweep()
    await job('late', start + MINUTE - 20_000)
    await sweep()

    expect(met).toEqual(['late'])
  })

  test('may look ahead, and then still meets again what it left', async () => {
    await job('soon', start + 10 * MINUTE)
    await sweep(['soon'], { aheadMs: 15 * MINUTE })
    expect(met).toEqual(['soon'])

    later(10 * MINUTE)
    await sweep()
    expect(met).toEqual(['soon', 'soon'])
  })

  test('costs the queries of the hours since the last one, not of the day', async () => {
    await sweep()
    const before = service.table.calls.Query ?? 0
    later(MINUTE)
    await sweep()

    expect((service.table.calls.Query ?? 0) - before).toBeLessThanOrEqual(16)
  })
})
