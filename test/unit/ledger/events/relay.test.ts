import { beforeEach, describe, expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/relay-events.ts'
import type { Space } from '../../../../shared/base/context.ts'
import { type Event, eventId } from '../../../../shared/ledger/events/event.ts'
import { eventAt, logHead } from '../../../../shared/ledger/events/log.ts'
import { outbox, outboxKey, packEvents } from '../../../../shared/ledger/events/outbox.ts'
import { Service, space, TABLE } from '../../deliver/webhooks/service.ts'
import { autoExecution } from './auto-execution.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

let seen = 0

/** Commits events as a verb would, without the rest of its transaction. */
async function commit(events: Event[] = autoExecution(), of: Space = space) {
  const ctx = it.ctx(of)
  const item = { ...outboxKey(of, ctx.id('x').slice(2)), events: packEvents(events), at: it.clock.now() }
  await ctx.table.commit([outbox.insert(item)])
  return { item, events }
}

/** The stream records of outbox items since the last call, as the event source hands them over. */
function newRecords() {
  const records = it.table.stream.filter(({ eventName, newImage }) => eventName === 'INSERT' && isOutbox(newImage))
  const fresh = records.slice(seen)
  seen = records.length
  return fresh.map(({ sequence, newImage = {} }) => ({
    dynamodb: { SequenceNumber: String(sequence), NewImage: newImage },
  }))
}
const isOutbox = (image?: { _type?: { S?: string } }) => image?._type?.S === 'OUTBOX'
beforeEach(() => {
  seen = 0
})

const relayAll = (Records = newRecords()) => handler({ Records })
const positions = () => it.bus.map(({ detail }) => detail._position)

describe('a committed event', () => {
  test('is published with its envelope, position and mode', async () => {
    const { events, item } = await commit()
    const [first] = events

    expect(await relayAll()).toEqual({ batchItemFailures: [] })

    expect(it.bus).toHaveLength(6)
    expect(it.bus[0]).toEqual({
      source: 'countersign.events',
      type: 'evidence.emitted',
      detail: {
        id: first && eventId(space, first),
        type: 'evidence.emitted',
        timestamp: new Date(item.at).toISOString(),
        tenant_id: 'ten_1',
        version: '2026-11-20',
        data: first?.data,
        _position: 1,
        _mode: 'live',
      },
    })
  })

  test('can be read from the log at its position', async () => {
    const { events } = await commit()
    await commit()
    await relayAll()

    const fourth = await eventAt(it.ctx(), 4)
    expect(fourth).toMatchObject({ id: events[3] && eventId(space, events[3]), type: events[3]?.type })
    expect(await eventAt(it.ctx(), 12)).toBeDefined()
    expect(await eventAt(it.ctx(), 13)).toBeUndefined()
    expect(await eventAt(it.ctx(), 0)).toBeUndefined()
  })

  test('is no longer read after 30 days', async () => {
    await commit()
    await relayAll()
    it.clock.moveTo(it.clock.now() + 30 * 86_400_000 + 1)

    expect(await eventAt(it.ctx(), 1)).toBeUndefined()
  })
})

describe('positions', () => {
  test('are dense and follow the order of the stream', async () => {
    for (let count = 0; count < 100; count += 1) await commit()
    await relayAll()

    expect(positions()).toEqual(Array.from({ length: 600 }, (_, index) => index + 1))
    expect(await logHead(it.ctx())).toMatchObject({ position: 600 })
  })

  test('are given apart for each tenant and mode', async () => {
    const other: Space = { tenant_id: 'ten_2', mode: 'test' }
    await commit()
    await commit(autoExecution(), other)
    await relayAll()

    expect(it.bus.filter(({ detail }) => detail.tenant_id === 'ten_2').map(({ detail }) => detail._position)).toEqual([
      1, 2, 3, 4, 5, 6,
    ])
    expect(await logHead(it.ctx(other))).toMatchObject({ position: 6 })
    expect(it.bus.filter(({ detail }) => detail._mode === 'test')).toHaveLength(6)
  })

  test('stay dense when several readers append at once', async () => {
    for (let count = 0; count < 24; count += 1) await commit(autoExecution().slice(count % 5))
    const records = newRecords()

    await Promise.all([0, 1, 2, 3].map((reader) => relayAll(records.filter((_, index) => index % 4 === reader))))

    expect(positions().toSorted((a, b) => Number(a) - Number(b))).toEqual(it.bus.map((_, index) => index + 1))
  })

  test('never overlap, also for two single commits of different length', async () => {
    await commit()
    await commit(autoExecution().slice(1))

    await Promise.all(newRecords().map((record) => relayAll([record])))

    expect(positions().toSorted((a, b) => Number(a) - Number(b))).toEqual(it.bus.map((_, index) => index + 1))
  })

  test('are found across the border of a partition', async () => {
    await commit()
    await relayAll()
    it.table.tamper(TABLE, { pk: 'T#ten_1#live#LOG', sk: 'HEAD' }, (head) => ({ ...head, position: { N: '99997' } }))
    const { events } = await commit()
    await relayAll()

    expect(await eventAt(it.ctx(), 99_998)).toMatchObject({ type: events[0]?.type })
    expect(await eventAt(it.ctx(), 100_003)).toMatchObject({ type: events[5]?.type })
  })
})

describe('a batch that is handed over again', () => {
  test('enters the log once and is published at the same positions', async () => {
    await commit()
    await commit()
    const records = newRecords()

    await relayAll(records)
    await relayAll([...records, ...records])

    expect(await logHead(it.ctx())).toMatchObject({ position: 12 })
    expect(new Set(positions()).size).toBe(12)
    expect(new Set(it.bus.map(({ detail }) => JSON.stringify([detail._position, detail.id]))).size).toBe(12)
  })

  test('with new commits in it appends those only', async () => {
    await commit()
    const [first] = newRecords()
    if (first) await relayAll([first])
    await commit()

    await relayAll([...(first ? [first] : []), ...newRecords()])

    expect(await logHead(it.ctx())).toMatchObject({ position: 12 })
  })

  test('after a crash between log and bus is published', async () => {
    await commit()
    const records = newRecords()
    it.busRefuses = () => true
    const { batchItemFailures } = await relayAll(records)
    it.busRefuses = () => false

    await relayAll(records)

    expect(batchItemFailures).not.toEqual([])
    expect(positions()).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('the bus', () => {
  test('is given again exactly what it refused', async () => {
    await commit()
    const refused = new Set<unknown>()
    it.busRefuses = ({ detail }) => {
      const again = refused.has(detail._position)
      refused.add(detail._position)
      return !again && Number(detail._position) % 2 === 0
    }

    expect(await relayAll()).toEqual({ batchItemFailures: [] })
    expect(positions()).toEqual([1, 3, 5, 2, 4, 6])
  })

  test('that refuses an event for good makes its record come back', async () => {
    await commit()
    await commit()
    const records = newRecords()
    it.busRefuses = ({ detail }) => detail._position === 8

    const { batchItemFailures } = await relayAll(records)

    expect(batchItemFailures).toEqual([{ itemIdentifier: records[1]?.dynamodb.SequenceNumber }])
  })
})

const withField = (name: string) => {
  const [event, ...others] = autoExecution()
  if (event) Object.assign(event.data, { [name]: 'x' })
  return packEvents([...(event ? [event] : []), ...others])
}

describe('a commit that must not be published', () => {
  test.each([
    ['that cannot be unpacked', 'nonsense'],
    ['without events', packEvents([])],
    ['with a field outside the schema', withField('secret')],
  ])('%s is kept aside and stops nobody', async (_, packed) => {
    const ctx = it.ctx()
    const item = { ...outboxKey(space, ctx.id('x').slice(2)), events: packed, at: it.clock.now() }
    await ctx.table.commit([outbox.insert(item)])
    await commit()

    expect(await relayAll()).toEqual({ batchItemFailures: [] })

    expect(it.bus).toHaveLength(6)
    expect(it.table.item(TABLE, item)).toBeDefined()
    expect(it.table.item(TABLE, item)?._ttl).toBeUndefined()
  })
})

test('each submitted action adds to the total of executions, once', async () => {
  const later = autoExecution().filter(({ type }) => type !== 'action.requested')
  await commit()
  await commit()
  await commit(later)
  const records = newRecords()

  await relayAll(records)
  await relayAll(records)

  expect(await logHead(it.ctx())).toMatchObject({ counts: { executions: 2 } })
})
