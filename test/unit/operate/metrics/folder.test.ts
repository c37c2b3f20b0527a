import { beforeEach, describe, expect, test } from 'vitest'
import { tally } from '../../../../shared/base/limits/tally.ts'
import { rateWindowsKey, takeOne } from '../../../../shared/base/limits/window.ts'
import { foldSpace } from '../../../../shared/ledger/fold/fold.ts'
import { asOf } from '../../../../shared/operate/metrics/state.ts'
import { metricsFolder } from '../../../../shared/operate/metrics/folder.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { counted, dyingAt, logged, measure, RUN } from './space.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
})

const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)
const runs = (count: number) => ({
  'd.AUTO.run': count,
  'r.ok': count,
  g4: count,
  e4: count,
  'n.crm.contacts.editor': count,
})

describe('what is counted', () => {
  test('is exact: a thousand executions are a thousand, however often the worker is called', async () => {
    await logged(it, 1_000)
    later(2 * MINUTE)

    await measure()
    await measure()

    expect(await counted(it)).toEqual(runs(1_000))
  })

  test('is exact when two workers count at once', async () => {
    await logged(it, 600)
    later(2 * MINUTE)

    await Promise.all([measure(), measure(), measure()])

    expect((await counted(it))['d.AUTO.run']).toBe(600)
  })

  test('is exact wherever the worker dies', async () => {
    for (let call = 1, died = true; died; call += 1) {
      it = new Service()
      await it.start()
      await logged(it, 90)
      await takeOne(it.ctx().table, rateWindowsKey(space), { perMinute: 100, perSecond: 100 })
      later(2 * MINUTE)
      died = await dyingAt(it, call, () => foldSpace(it.ctx(), [metricsFolder(space)], Number.POSITIVE_INFINITY))

      await measure()

      expect(await counted(it), `died at call ${call}`).toMatchObject({ 'd.AUTO.run': 90, rq: 1 })
      expect(call).toBeLessThan(50)
    }
  })

  test('lies in the minutes, hours and days in which it happened, though the relay stood for three hours', async () => {
    const start = it.clock.now() - 3 * HOUR
    for (let minute = 0; minute < 180; minute += 1) await logged(it, 1, RUN, start + minute * MINUTE)
    later(2 * MINUTE)

    await measure()

    expect((await counted(it))['d.AUTO.run']).toBe(180)
    for (const [from, until] of [
      [0, 60],
      [7, 8],
      [23, 143],
      [83, 180],
    ] as const) {
      const some = await counted(it, start + from * MINUTE, start + until * MINUTE)
      expect(some['d.AUTO.run'], `minutes ${from} to ${until}`).toBe(until - from)
    }
  })

  test('includes accepted requests and tallies, once', async () => {
    const { table } = it.ctx()
    for (let minute = 0; minute < 70; minute += 1) {
      for (let request = 0; request < 3; request += 1) {
        await takeOne(table, rateWindowsKey(space), { perMinute: 100, perSecond: 100 })
      }
      await tally(table, space, 'dl_ok')
      if (minute % 10 === 0) await tally(table, space, 'rb')
      later(MINUTE)
    }
    await measure()
    later(MINUTE)
    await measure()

    expect(await counted(it)).toEqual({ rq: 210, rb: 7, dl_ok: 70 })
  })

  test('leaves out what no version of this code has stated', async () => {
    const unknown: unknown[] = [['zz', 1], ['d', 'x'], ['d', 0, 99, 1, 0, 0], 'text', null]
    await logged(it, 1, [...unknown, ['u', 1]])
    later(2 * MINUTE)

    await measure()

    expect(await counted(it)).toEqual({ 'u.ok': 1 })
  })
})

describe('as_of', () => {
  test('is the end of the last minute where nothing waits', async () => {
    later(3 * HOUR)

    expect(await asOf(it.ctx())).toBe(Math.floor((it.clock.now() - 10_000) / MINUTE) * MINUTE)
  })

  test('is the minute of the oldest commit that is not counted yet', async () => {
    await logged(it, 1)
    const minute = Math.floor(it.clock.now() / MINUTE) * MINUTE
    later(HOUR)

    expect(await asOf(it.ctx())).toBe(minute)
    await measure()
    expect(await asOf(it.ctx())).toBeGreaterThan(minute + 50 * MINUTE)
  })
})
