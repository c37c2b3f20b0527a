import { beforeEach, describe, expect, test } from 'vitest'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import type { Delivery } from '../../../../shared/deliver/webhooks/delivery.ts'
import { endpoints } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'
import {
  MATCHED_MAX,
  recoverDeliveries,
  type Recovery,
  replayDelivery,
} from '../../../../shared/deliver/webhooks/recover.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { handleBody, answers, Service } from './service.ts'

const DAY = 86_400_000

let it: Service
let id: string
beforeEach(async () => {
  it = new Service()
  await it.start()
  id = (await it.endpoint()).id
})

const recover = (over: Partial<Recovery> = {}) =>
  recoverDeliveries(it.ctx(), { id, since: iso(it.clock.now() - DAY), ...over })

/** Recovers and lets the workers do all of it. */
async function recovered(over: Partial<Recovery> = {}): Promise<number> {
  const { matched } = await recover(over)
  while (it.queue.length > 0) await it.workOffQueue()
  return matched
}

/** Logged and sent, with this answer of the receiver. */
async function sent(status: number, headers: Record<string, string> = {}): Promise<Delivery> {
  it.answer = () => answers(status, headers)
  for (const { event, position } of await it.log(1)) await fanOut(it.ctx(), event, position)
  it.answer = () => answers(200)
  return last()
}

const failing = () => sent(500, { 'webhook-delivery': 'abort-message' })

function last(): Delivery {
  const delivery = it.deliveries().at(-1)
  if (!delivery) throw new Error('no delivery')
  return delivery
}

describe('a recovery', () => {
  test('delivers what the endpoint never got, and nothing else', async () => {
    await sent(200)
    await sent(503)
    const lost = await it.log(3)
    it.sent.length = 0

    const { recover_id, matched } = await recover()
    while (it.queue.length > 0) await it.workOffQueue()

    expect(matched).toBe(3)
    expect(it.sent.map(({ headers }) => headers['webhook-id'])).toEqual(lost.map(({ event }) => event.id))
    const made = it.deliveries().filter((delivery) => delivery.recover_id === recover_id)
    expect(made.map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(await recovered()).toBe(0)
  })

  test('replays what failed, and the original names its replay', async () => {
    const original = await failing()

    expect(await recovered()).toBe(1)

    expect(last()).toMatchObject({ status: 'delivered', replay_of: original.id, event_id: original.event_id })
    expect(it.deliveries()[0]).toMatchObject({ id: original.id, status: 'failed', replayed_as: last().id })
    expect(await recovered()).toBe(0)
  })

  test('replays again what failed in every replay', async () => {
    await failing()
    it.answer = () => answers(410)
    await recovered()
    const second = last()
    const endpoint = await it.reread({ id })
    await it.setHealth(endpoint, { status: 'active' })
    it.answer = () => answers(200)

    expect(await recovered()).toBe(1)

    expect(last()).toMatchObject({ status: 'delivered', replay_of: second.id })
  })

  test('takes no account of a replay to another endpoint', async () => {
    const original = await failing()
    const other = await it.endpoint({ name: 'other' })
    await replayDelivery(it.ctx(), { delivery_id: original.id, endpoint_id: other.id })
    await it.workOffQueue()

    expect(await recovered()).toBe(1)
  })

  test('leaves out what the endpoint does not subscribe to', async () => {
    const { id: elsewhere } = await it.endpoint({ events: ['policy.updated'] })
    const { id: filtered } = await it.endpoint({ filter: { node_id: 'none.such.node' } })
    await it.log(2)

    expect(await recover({ id: elsewhere, dry_run: true })).toEqual({ matched: 0 })
    expect(await recover({ id: filtered, dry_run: true })).toEqual({ matched: 0 })
    expect(await recover({ types: ['policy.updated'], dry_run: true })).toEqual({ matched: 0 })
    expect(await recover({ types: ['execution.undone'], dry_run: true })).toEqual({ matched: 2 })
  })

  test('of an endpoint in error keeps to the whole schedule, and is not held against it', async () => {
    await it.log(1)
    await it.setHealth(await it.reread({ id }), { status: 'error', consecutive_failed: 5 })
    it.answer = () => answers(500)

    await recovered()

    expect(last()).toMatchObject({ status: 'retrying', attempt: 0 })
    expect(await it.reread({ id })).toMatchObject({ status: 'error', consecutive_failed: 5 })
  })

  test('that only counts changes nothing', async () => {
    await it.log(3)
    const before = it.table.stream.length

    expect(await recover({ dry_run: true })).toEqual({ matched: 3 })

    expect(it.table.stream).toHaveLength(before)
    expect(it.queue).toEqual([])
  })
})

describe('the window of a recovery', () => {
  test('bounds it on both sides', async () => {
    const from = it.clock.now()
    for (let day = 0; day < 5; day += 1) await it.log(1, { at: from + day * DAY })
    it.clock.moveTo(from + 5 * DAY)

    expect(await recover({ since: iso(from + DAY), until: iso(from + 3 * DAY), dry_run: true })).toEqual({ matched: 3 })
    expect(await recover({ since: iso(from), dry_run: true })).toEqual({ matched: 5 })
  })

  test('is at most 14 days long', async () => {
    const until = iso(it.clock.now())
    const since = (ms: number) => iso(Date.parse(until) - ms)

    await expect(recover({ since: since(14 * DAY), until })).resolves.toMatchObject({ matched: 0 })
    await expect(recover({ since: since(14 * DAY + 1), until })).rejects.toMatchObject({ kind: 'invalid' })
    await expect(recover({ since: since(-1), until })).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('does not reach events that are no longer retained', async () => {
    const from = it.clock.now()
    await it.log(1)
    it.clock.moveTo(from + 30 * DAY + 60_000)

    expect(await recover({ since: iso(from - DAY), until: iso(from + DAY), dry_run: true })).toEqual({ matched: 0 })
  })

  test('with more than 10,000 lost events is refused with their number', async () => {
    for (let count = 0; count < 11; count += 1) await it.log(950)

    const refusal = recover()

    await expect(refusal).rejects.toMatchObject({ kind: 'invalid', detail: [{ loc: ['body', 'since'] }] })
    await expect(refusal).rejects.toThrow(`covers 10450 matching events, and at most ${MATCHED_MAX}`)
    expect(it.queue).toEqual([])
  })
})

describe('the job', () => {
  test('goes through the queue, 500 events a message', async () => {
    await it.log(501)

    await recover()

    expect(it.queue.map((message) => 'positions' in message && message.positions.length)).toEqual([500, 1])
  })

  test('sends nothing twice when a message comes twice, at once or later', async () => {
    await it.log(20)
    await failing()
    it.sent.length = 0
    await recover()
    const job = it.queue.map((message) => JSON.stringify(message))

    await Promise.allSettled([...job, ...job].map((message) => handleBody(message)))
    for (const message of job) await handleBody(message)
    while (it.queue.length > 0) await it.workOffQueue()
    for (const message of job) await handleBody(message)
    while (it.queue.length > 0) await it.workOffQueue()

    expect(it.sent).toHaveLength(21)
    expect(it.deliveries()).toHaveLength(22)
  })

  test('queues what an earlier try made and did not queue', async () => {
    await it.log(20)
    await recover()
    const [job] = it.queue.splice(0)
    it.queueRefuses = () => true
    await expect(handleBody(JSON.stringify(job))).rejects.toThrow('the queue webhook-fanout refused')
    expect(it.deliveries()).toHaveLength(20)

    it.queueRefuses = () => false
    await handleBody(JSON.stringify(job))
    await it.workOffQueue()

    expect(it.sent).toHaveLength(20)
  })

  test('makes nothing for an endpoint that was disabled or deleted meanwhile', async () => {
    await it.log(2)
    await recover()
    await it.setHealth(await it.reread({ id }), { status: 'disabled' })

    await it.workOffQueue()

    expect(it.deliveries()).toEqual([])
  })

  test('that the queue does not take at once is offered again', async () => {
    await it.log(2)
    let refusals = 2
    it.queueRefuses = () => refusals-- > 0

    await recover()

    expect(it.queue).toHaveLength(1)
  })

  test('that the queue does not take at all is reported, and can be asked for again with the same key', async () => {
    await it.log(2)
    it.queueRefuses = () => true
    const claims: string[] = []
    const ctx = it.ctx()
    ctx.table.joining = (ref) => {
      claims.push(ref)
      return [endpoints.check({ ...ctx.space, id }, { expression: 'attribute_exists(pk)' })]
    }
    const input = { id, since: iso(it.clock.now() - DAY) }

    await expect(recoverDeliveries(ctx, input)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(claims).toEqual([])
    it.queueRefuses = () => false
    const { recover_id, matched } = await recoverDeliveries(ctx, input)
    while (it.queue.length > 0) await it.workOffQueue()

    expect(matched).toBe(2)
    expect(it.sent).toHaveLength(2)
    expect(claims).toEqual([recover_id])
  })
})

test('a disabled endpoint recovers nothing until it is active again', async () => {
  await it.setHealth(await it.reread({ id }), { status: 'disabled' })

  await expect(recover()).rejects.toMatchObject({ kind: 'conflict' })
})
