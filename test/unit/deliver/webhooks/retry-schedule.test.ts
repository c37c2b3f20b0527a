import { beforeEach, describe, expect, test } from 'vitest'
import { handler as retryWebhook } from '../../../../functions/workers/retry-webhook.ts'
import type { Outcome } from '../../../../shared/base/lib/safe-http.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { resumeDelivery } from '../../../../shared/deliver/webhooks/resume.ts'
import { deliveries } from '../../../../shared/deliver/webhooks/delivery.ts'
import { verifyStandardWebhook } from '../../../../shared/deliver/webhooks/verify.ts'
import { type Machine, machine } from './machine.ts'
import { answers, Service, timesOut } from './service.ts'

let it: Service
let retries: Machine
const ATTEMPTS = ['0', '1', '2', '3', '4', '5', '6', '7']

beforeEach(async () => {
  it = new Service()
  await it.start()
  retries = machine(it)
})

const PUBLISHED = [0, 60, 120, 240, 420, 720, 1_200, 1_980]

/** Seconds of all POSTs, from the first one on. The test's clock advances a little with each reading. */
const times = () => it.sent.map(({ at }) => Math.round((at - (it.sent[0]?.at ?? 0)) / 1_000))

async function firstAttempt(): Promise<void> {
  await fanOut(it.ctx(), await it.event(1), 1)
  retries.startAnnounced()
}

async function deliver(): Promise<void> {
  await firstAttempt()
  await retries.finish()
}

/** Answers the first `count` requests in one way and the others in another. */
const first = (count: number, before: Outcome, after: Outcome) => () => (it.sent.length <= count ? before : after)

describe('the published schedule', () => {
  test('is kept to the second: eight POSTs, then the delivery has failed', async () => {
    await it.endpoint()
    it.answer = () => answers(500)

    await deliver()

    expect(times()).toEqual(PUBLISHED)
    expect(it.deliveries()).toMatchObject([{ status: 'failed', attempt: 7, failure_reason: 'exhausted' }])
  })

  test('ends with the first 2xx', async () => {
    await it.endpoint()
    it.answer = first(3, timesOut, answers(204))

    await deliver()

    expect(times()).toEqual(PUBLISHED.slice(0, 4))
    expect(it.deliveries()).toMatchObject([{ status: 'delivered', attempt: 3, last: { status_code: 204 } }])
  })

  test('is stretched by Retry-After, at most to twice a wait, and goes on as before', async () => {
    await it.endpoint()
    it.answer = first(2, answers(429, { 'retry-after': '3600' }), answers(500))

    await deliver()

    expect(times()).toEqual([0, 120, 240, 360, 540, 840, 1_320, 2_100])
  })

  test('signs each attempt anew, over the same event', async () => {
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
    await it.endpoint({ secret })
    it.answer = () => answers(500)

    await deliver()

    expect(new Set(it.sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(it.sent.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8)
    expect(it.sent.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(ATTEMPTS)
    for (const { headers, body = '', at } of it.sent) {
      expect(verifyStandardWebhook({ headers, body }, secret, at / 1_000)).toBe(true)
    }
  })
})

describe('the state machine', () => {
  test('started twice for one delivery makes one POST for each attempt', async () => {
    await it.endpoint()
    it.answer = () => answers(500)
    await fanOut(it.ctx(), await it.event(1), 1)
    it.bus.push(...it.bus)
    retries.startAnnounced()

    await retries.finish()

    expect(it.sent).toHaveLength(8)
    expect(it.deliveries()).toMatchObject([{ status: 'failed', attempt: 7 }])
  })

  test('pauses after a crash of its worker and then makes the attempt', async () => {
    await it.endpoint()
    it.answer = first(1, answers(500), answers(200))
    let crashes = 1
    retries = machine(it, {
      retry: async (event) => {
        if (crashes-- > 0) throw new Error('killed')
        return retryWebhook(event)
      },
    })

    await deliver()

    expect(times()).toEqual([0, 120])
    expect(it.deliveries()).toMatchObject([{ status: 'delivered', attempt: 1 }])
  })

  test('that is gone is started again by the sweeper from the stored attempt', async () => {
    await it.endpoint()
    it.answer = () => answers(500)
    await firstAttempt()
    await retries.pass(2)
    retries.stop()
    const [delivery] = it.deliveries()
    const key = deliveries.key(delivery ?? { tenant_id: '', mode: 'live', id: '' })

    it.clock.moveTo(Date.parse(delivery?.due_at ?? '') - 60_000)
    expect(await resumeDelivery(key)).toBe(false)
    it.clock.moveTo(Date.parse(delivery?.due_at ?? ''))
    expect(await Promise.all([resumeDelivery(key), resumeDelivery(key)])).toContain(true)
    retries.startAnnounced()
    await retries.finish()

    expect(it.sent.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(ATTEMPTS)
    expect(it.deliveries()).toMatchObject([{ status: 'failed', attempt: 7 }])
  })

  test('that ended before its last task is started again for that task only', async () => {
    await it.endpoint()
    it.answer = () => answers(500)
    const broken = machine(it, { fail: () => new Promise(() => undefined) })
    await fanOut(it.ctx(), await it.event(1), 1)
    broken.startAnnounced()
    void broken.pass(8)
    await waitFor(() => it.deliveries()[0]?.attempt === 7)
    broken.stop()
    const [delivery] = it.deliveries()
    it.clock.moveTo(Date.parse(delivery?.due_at ?? ''))

    await resumeDelivery(deliveries.key(delivery ?? { tenant_id: '', mode: 'live', id: '' }))
    it.bus.splice(0, it.bus.length - 1)
    retries.startAnnounced()
    await retries.finish()

    expect(it.sent).toHaveLength(8)
    expect(it.deliveries()).toMatchObject([{ status: 'failed', failure_reason: 'exhausted' }])
  })
})

/** Lets other work go on until a condition holds. */
async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}
