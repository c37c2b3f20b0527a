import { beforeEach, describe, expect, test } from 'vitest'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { changeEndpoint, removeEndpoint } from '../../../../shared/deliver/webhooks/endpoints/create.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { readDelivery } from '../../../../shared/deliver/webhooks/delivery-log.ts'
import { replayDelivery } from '../../../../shared/deliver/webhooks/recover.ts'
import { failDelivery } from '../../../../shared/deliver/webhooks/finish.ts'
import { retryDelivery } from '../../../../shared/deliver/webhooks/deliver.ts'
import type { Stored } from '../../../../shared/base/table/entity.ts'
import type { Endpoint } from '../../../../shared/deliver/webhooks/endpoints/endpoint.ts'
import { handleBody, answers, Service, timesOut } from './service.ts'

let it: Service
let endpoint: Stored<Endpoint>
let delivery_id: string
beforeEach(async () => {
  it = new Service()
  await it.start()
  endpoint = await it.endpoint()
  it.answer = () => answers(500)
  await fanOut(it.ctx(), await it.event(1), 1)
  delivery_id = it.deliveries()[0]?.id ?? ''
})

const retry = (last?: number, execution_id = 'exec') => retryDelivery(it.ctx(), { delivery_id, execution_id, last })
const exhaust = async () => {
  for (let n = 0; n < 7; n += 1) await retry(n)
}

/** Makes the process end with the POST under way. */
const crashOnPost = () => {
  it.answer = () => {
    throw new Error('killed')
  }
}

describe('a retry', () => {
  test('answers what the machine goes on with', async () => {
    expect(await retry(0)).toEqual({ outcome: 'failed', attempt: 1, wait_seconds: 60 })
    it.answer = () => answers(503, { 'retry-after': '90' })
    expect(await retry(1)).toEqual({ outcome: 'failed', attempt: 2, wait_seconds: 120 })
    it.answer = () => answers(200)
    expect(await retry(2)).toEqual({ outcome: 'delivered', attempt: 3, wait_seconds: 180 })
  })

  test('is recorded with the headers of its answer, of any kind', async () => {
    it.answer = () => answers(500, { constructor: 'x' })

    expect(await retry(0)).toMatchObject({ outcome: 'failed', attempt: 1 })
    const { attempts } = await readDelivery(it.ctx(), delivery_id)
    expect(attempts[1]).toMatchObject({ status_code: 500, response_headers: { constructor: 'x' } })
  })

  test('whose answer got lost is not made again', async () => {
    await retry(0)

    expect(await retry(0)).toEqual({ outcome: 'failed', attempt: 1, wait_seconds: 60 })
    expect(it.sent).toHaveLength(2)
  })

  test('of a delivery that has arrived is not made', async () => {
    it.answer = () => answers(200)
    await retry(0)

    expect(await retry(1)).toMatchObject({ outcome: 'delivered' })
    expect(it.sent).toHaveLength(2)
  })

  test('belongs to the execution that made the first one', async () => {
    await retry(0)

    expect(await retry(0, 'another')).toMatchObject({ outcome: 'stopped' })
    expect(it.sent).toHaveLength(2)
  })

  test('by two executions at the same moment is one POST', async () => {
    const ends = await Promise.all([retry(0, 'one'), retry(0, 'two')])

    expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual(['failed', 'stopped'])
    expect(it.sent).toHaveLength(2)
  })

  test('of an unknown delivery stops the machine', async () => {
    const unknown = { delivery_id: 'dlv_none', execution_id: 'exec' }

    expect(await retryDelivery(it.ctx(), unknown)).toMatchObject({ outcome: 'stopped' })
  })
})

describe('a worker that dies', () => {
  test('with the POST under way repeats it with the same event', async () => {
    crashOnPost()
    await expect(retry(0)).rejects.toThrow('killed')
    it.answer = () => answers(200)

    expect(await retry(0)).toMatchObject({ outcome: 'delivered', attempt: 1 })
    expect(new Set(it.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('before it could record the attempt repeats it', async () => {
    it.answer = () => answers(200)
    let dead = false
    it.table.hooks.before = ({ name, input }) => {
      dead ||= name === 'TransactWriteItems' && JSON.stringify(input).includes('"delivered"')
      if (dead) throw new Error('killed')
    }
    await expect(retry(0)).rejects.toThrow('killed')
    it.table.hooks.before = undefined
    coldStart()

    expect(await retry(0)).toMatchObject({ outcome: 'delivered' })
    expect(new Set(it.sent.slice(-2).map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test('three times in one attempt leaves that attempt behind, without a third POST', async () => {
    crashOnPost()
    await expect(retry(0)).rejects.toThrow('killed')
    await expect(retry(0)).rejects.toThrow('killed')

    expect(await retry(0)).toEqual({ outcome: 'failed', attempt: 1, wait_seconds: 60 })
    expect(it.sent).toHaveLength(3)
    const { attempts } = await readDelivery(it.ctx(), delivery_id)
    expect(attempts).toMatchObject([
      { n: 0, status_code: 500 },
      { n: 1, error_class: 'worker_crash' },
    ])
  })
})

describe('between two attempts', () => {
  test('an endpoint that was deleted ends the delivery', async () => {
    await removeEndpoint(it.ctx(), { id: endpoint.id })

    expect(await retry(0)).toMatchObject({ outcome: 'stopped' })
    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'endpoint_deleted' }])
  })

  test('an endpoint that was disabled ends the delivery', async () => {
    await changeEndpoint(it.ctx(), endpoint.id, { status: 'disabled' })

    expect(await retry(0)).toMatchObject({ outcome: 'stopped' })
    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'endpoint_disabled' }])
  })

  test('an endpoint that was moved is called at its new address', async () => {
    await changeEndpoint(it.ctx(), endpoint.id, { url: 'https://1.1.1.1/new', headers: { 'x-new': '1' } })
    await retry(0)

    expect(it.lastSent()).toMatchObject({ url: 'https://1.1.1.1/new', headers: { 'x-new': '1' } })
  })

  test('an event that is no longer retained ends the delivery', async () => {
    it.clock.moveTo(it.clock.now() + 31 * 86_400_000)

    expect(await retry(0)).toMatchObject({ outcome: 'stopped' })
    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'event_expired' }])
  })

  test('a receiver may say stop', async () => {
    it.answer = () => answers(410)

    expect(await retry(0)).toMatchObject({ outcome: 'stopped' })
    expect(await it.reread(endpoint)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  })

  test('an endpoint that went into error keeps its running schedules', async () => {
    await it.setHealth(endpoint, { status: 'error' })

    expect(await retry(0)).toMatchObject({ outcome: 'failed', attempt: 1 })
    expect(it.deliveries()).toMatchObject([{ status: 'retrying' }])
  })

  test('an endpoint in error gets no retries either where the first attempt is left to the schedule', async () => {
    process.env.WEBHOOK_FIRST_ATTEMPT = 'scheduled'
    await fanOut(it.ctx(), await it.event(2), 2)
    delete process.env.WEBHOOK_FIRST_ATTEMPT
    await it.setHealth(endpoint, { status: 'error' })
    delivery_id = it.deliveries()[1]?.id ?? ''

    expect(await retry(0)).toMatchObject({ outcome: 'stopped', attempt: 1 })
    expect(it.deliveries()[1]).toMatchObject({ status: 'failed', failure_reason: 'endpoint_error' })
  })
})

describe('an exhausted delivery', () => {
  test('fails once and counts once, also when its end comes twice', async () => {
    await exhaust()
    await Promise.allSettled([failDelivery(it.ctx(), delivery_id), failDelivery(it.ctx(), delivery_id)])
    await failDelivery(it.ctx(), delivery_id)

    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'exhausted' }])
    expect(await it.reread(endpoint)).toMatchObject({ status: 'active', consecutive_failed: 1 })
  })

  test('is not failed before its last attempt', async () => {
    await retry(0)
    await failDelivery(it.ctx(), delivery_id)

    expect(it.deliveries()).toMatchObject([{ status: 'retrying' }])
  })

  test('is the fifth in a row: the endpoint goes into error, with artifact and event', async () => {
    await exhaust()
    await it.setHealth(endpoint, { consecutive_failed: 4 })

    await failDelivery(it.ctx(), delivery_id)

    expect(await it.reread(endpoint)).toMatchObject({ status: 'error', consecutive_failed: 5 })
    expect(it.committed().slice(-2)).toEqual(['evidence.emitted', 'webhook.endpoint.error'])
  })

  test('that was a replay is not counted', async () => {
    const replay = await replayDelivery(it.ctx(), { delivery_id })
    await handleBody(JSON.stringify(it.queue[0]))
    for (let n = 0; n < 7; n += 1) {
      await retryDelivery(it.ctx(), { delivery_id: replay.id, execution_id: 'replay', last: n })
    }

    await failDelivery(it.ctx(), replay.id)

    expect(it.deliveries().find(({ id }) => id === replay.id)).toMatchObject({ failure_reason: 'exhausted' })
    expect((await it.reread(endpoint)).consecutive_failed).toBe(0)
  })

  test('shows every attempt to those who ask', async () => {
    it.answer = () => timesOut
    await exhaust()

    const { attempts, body } = await readDelivery(it.ctx(), delivery_id)

    expect(attempts.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(attempts[7]).toMatchObject({ error_class: 'timeout' })
    expect(body).toMatchObject({ type: 'execution.undone' })
  })
})
