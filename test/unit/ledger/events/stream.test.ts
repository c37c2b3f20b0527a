import { beforeEach, describe, expect, test } from 'vitest'
import { follow, type Following, startAfter } from '../../../../shared/ledger/events/stream.ts'
import { canonicalJson } from '../../../../shared/base/lib/json.ts'
import { forbidden } from '../../../../shared/base/lib/failure.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { logCommits, upTo } from './log-of.ts'
import { Reader } from './sink.ts'

const MINUTE = 60_000

let it: Service
let reader: Reader
let released: number
beforeEach(async () => {
  it = new Service()
  await it.start()
  reader = new Reader()
  released = 0
})

const slot = { renew: async () => true, release: async () => void (released += 1) }
const start = (over: Partial<Following> = {}) => {
  const following = { after: 0, isWanted: () => true, slot, recheck: async () => {}, ...over }
  return follow(it.ctx(), reader, following)
}

const log = (commits = 1) => logCommits(it, commits)

describe('events', () => {
  test('come once and in order, as frames with position, type and canonical envelope', async () => {
    await log(30)

    await start()

    expect(reader.ids).toEqual(upTo(180))
    const [frame = ''] = reader.text.split('\n\n')
    const [id, event, data = ''] = frame.split('\n')
    expect([id, event]).toEqual(['id: 1', 'event: evidence.emitted'])
    const envelope = JSON.parse(data.replace('data: ', ''))
    expect(data).toBe(`data: ${canonicalJson(envelope)}`)
    expect(envelope).toMatchObject({ type: 'evidence.emitted', tenant_id: space.tenant_id })
    expect(envelope).not.toHaveProperty('signature')
  })

  test.each(upTo(11, 0))('after position %i are all that follow it', async (after) => {
    await log(2)

    await start({ after })

    expect(reader.ids).toEqual(upTo(12, after + 1))
  })

  test('that wait already come without a pause, however far behind it begins', async () => {
    await log(120)
    const { sleep } = it.clock
    const pauses: number[] = []
    it.clock.sleep = (ms) => sleep(ms).then(() => void pauses.push(reader.ids.length))

    await start()

    expect(pauses.filter((read) => read < 720)).toEqual([])
    expect(reader.ids).toEqual(upTo(720))
  })

  test('that happen while it is open arrive', async () => {
    let logging: Promise<void> | undefined
    reader.onWrite = () => (logging ??= log(2))

    await start()
    await logging

    expect(reader.ids).toEqual(upTo(12))
  })

  test('that are not wanted are left out', async () => {
    await log()

    await start({ isWanted: ({ type }) => type === 'protocol.executed' })

    expect(reader.ids).toEqual([5])
  })
})

describe('where it begins', () => {
  test('without a position: at the end of the log', async () => {
    await log(2)

    expect(await startAfter(it.ctx(), undefined)).toEqual({ after: 12, reset: false })
  })

  test('after a position that the log never gave: at its end, with a reset', async () => {
    await log(2)

    expect(await startAfter(it.ctx(), 99)).toEqual({ after: 12, reset: true })
    expect(await startAfter(it.ctx(), 'unknown')).toEqual({ after: 12, reset: true })
  })

  test('with a position: after it', async () => {
    await log(2)

    expect(await startAfter(it.ctx(), 0)).toEqual({ after: 0, reset: false })
    expect(await startAfter(it.ctx(), 7)).toEqual({ after: 7, reset: false })
  })

  test('with a position whose successors expired: a reset, at the oldest event', async () => {
    await log(3)
    it.clock.moveTo(it.clock.now() + 31 * 24 * 60 * MINUTE)
    await log(2)

    expect(await startAfter(it.ctx(), 5)).toEqual({ after: 18, reset: true })
    expect(await startAfter(it.ctx(), 18)).toEqual({ after: 18, reset: false })
  })
})

describe('an open stream', () => {
  test('beats every 15 seconds and ends by itself after 14 minutes', async () => {
    const opened = it.clock.now()

    await start()

    const minutes = (it.clock.now() - opened) / MINUTE
    expect(minutes).toBeGreaterThanOrEqual(14)
    expect(minutes).toBeLessThan(14.1)
    expect(reader.heartbeats).toBeGreaterThanOrEqual(50)
    expect(reader.heartbeats).toBeLessThanOrEqual(56)
    expect(reader.destroyed).toBe(false)
    expect(released).toBe(1)
  })

  test('ends within a minute after its credential was revoked', async () => {
    const opened = it.clock.now()

    await start({ recheck: () => Promise.reject(forbidden('revoked')) })

    expect(it.clock.now() - opened).toBeLessThan(1.1 * MINUTE)
    expect(released).toBe(1)
  })

  test('ends when another stream holds its place', async () => {
    const opened = it.clock.now()

    await start({ slot: { ...slot, renew: async () => false } })

    expect(it.clock.now() - opened).toBeLessThan(17_000)
  })

  test('ends when its reader goes away', async () => {
    const opened = it.clock.now()
    reader.onWrite = () => reader.destroy()

    await start()

    expect(it.clock.now() - opened).toBeLessThan(17_000)
    expect(released).toBe(1)
  })

  test('cuts off a reader that takes nothing for 30 seconds', async () => {
    await log()
    const opened = it.clock.now()
    reader.onWrite = () => (reader.writableNeedDrain = true)

    await start()

    expect(reader.destroyed).toBe(true)
    expect(reader.ids).toEqual([1])
    expect(it.clock.now() - opened).toBeGreaterThanOrEqual(30_000)
    expect(it.clock.now() - opened).toBeLessThan(32_000)
    expect(released).toBe(1)
  })

  test('gives its place back when the table fails', async () => {
    const fails = start({ recheck: () => Promise.reject(new Error('no table')) })

    await expect(fails).rejects.toThrow('no table')
    expect(released).toBe(1)
  })
})
