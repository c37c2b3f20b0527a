import { beforeEach, describe, expect, test } from 'vitest'
import { handler } from '../../../../functions/workers/fan-out-webhook.ts'
import type { Outcome } from '../../../../shared/base/lib/safe-http.ts'
import { fanOut } from '../../../../shared/deliver/webhooks/fan-out.ts'
import { inGroups } from '../../../../shared/base/lib/in-parallel.ts'
import { answers, received, Service, timesOut } from './service.ts'

const ENDPOINTS = 1_000
/** Messages that Lambda gives to one worker. */
const BATCH = 10

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  await it.endpoints(ENDPOINTS)
})

/** One event on its way to all of them: the queue's messages in batches, as the workers get them. */
async function oneEvent() {
  const [logged] = await it.log(1)
  if (!logged) throw new Error('nothing was logged')
  await fanOut(it.ctx(), logged.event, logged.position)
  const messages = it.queue.splice(0).map((message, index) => received(JSON.stringify(message), String(index)))
  return inGroups(messages, BATCH).map((Records) => ({ Records }))
}

const count = (status: string) => it.deliveries().filter((delivery) => delivery.status === status).length

/** Lets other work go on until a condition holds. */
async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

describe('one endpoint among 1,000', () => {
  test('delays none of the others by hanging', async () => {
    const hanging = Promise.withResolvers<Outcome>()
    it.answer = ({ url }) => (url.endsWith('/500') ? hanging.promise : answers(200))

    const work = Promise.all((await oneEvent()).map(handler))
    await waitFor(() => count('delivered') === ENDPOINTS - 1)
    expect(count('pending')).toBe(1)
    hanging.resolve(timesOut)
    const ends = await work

    expect(ends.flatMap(({ batchItemFailures }) => batchItemFailures)).toEqual([])
    expect(count('retrying')).toBe(1)
  })

  test('gets what the others get, in one POST each, when every message comes twice', async () => {
    const messages = await oneEvent()

    await Promise.all([...messages, ...messages].map(handler))

    expect(new Set(it.sent.map(({ url }) => url)).size).toBe(ENDPOINTS)
    expect(it.sent).toHaveLength(ENDPOINTS)
    expect(count('delivered')).toBe(ENDPOINTS)
  })
})
