import { beforeEach, describe, expect, test } from 'vitest'
import { deliveries } from '../../../../shared/deliver/webhooks/delivery.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { resumeDelivery } from '../../../../shared/deliver/webhooks/resume.ts'
import { handleBody, Service } from './service.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

describe('more than ten endpoints', () => {
  test('are served through the queue in slices of ten', async () => {
    for (let count = 0; count < 23; count += 1) await it.endpoint({ name: `sink ${count}` })
    const event = await it.event(1)

    await fanOut(it.ctx(), event, 1)

    expect(it.sent).toEqual([])
    expect(it.queue.map((message) => 'delivery_ids' in message && message.delivery_ids.length)).toEqual([10, 10, 3])
    await Promise.all(it.queue.map((message) => handleBody(JSON.stringify(message))))
    expect(it.sent).toHaveLength(23)
    expect(it.deliveries().every(({ status }) => status === 'delivered')).toBe(true)
  })

  test('are all served when the queue refused a part at first', async () => {
    for (let count = 0; count < 11; count += 1) await it.endpoint({ name: `sink ${count}` })
    const event = await it.event(1)
    it.queueRefuses = () => it.queue.length > 0

    await expect(fanOut(it.ctx(), event, 1)).rejects.toThrow('the queue webhook-fanout refused')
    it.queueRefuses = () => false
    await fanOut(it.ctx(), event, 1)
    for (const message of it.queue) await handleBody(JSON.stringify(message))

    expect(it.sent).toHaveLength(11)
    expect(new Set(it.sent.map(({ headers }) => headers['x-webhook-delivery'])).size).toBe(11)
  })

  test('are served after 15 minutes when the message was lost', async () => {
    for (let count = 0; count < 11; count += 1) await it.endpoint({ name: `sink ${count}` })
    await fanOut(it.ctx(), await it.event(1), 1)
    it.queue.length = 0
    const keys = it.deliveries().map((delivery) => deliveries.key(delivery))

    it.clock.moveTo(it.clock.now() + 15 * 60_000 + 1)
    for (const key of keys) expect(await resumeDelivery(key)).toBe(true)
    for (const key of keys) expect(await resumeDelivery(key)).toBe(false)
    for (const message of it.queue) await handleBody(JSON.stringify(message))

    expect(it.sent).toHaveLength(11)
  })
})
