import { beforeEach, describe, expect, test } from 'vitest'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const local = useLocalStack()
let acme: TestTenant
let failing: Receiver
let watcher: Receiver
let id: string
beforeEach(async () => {
  acme = await local.tenant()
  ;[failing, watcher] = await Promise.all([startReceiver(), startReceiver()])
  id = await create(failing.url, ['*'])
  await create(watcher.url, ['webhook.endpoint.error', 'webhook.endpoint.recovered', 'webhook.endpoint.disabled'])
  await local.drain()
  failing.received.length = 0
  return async () => {
    await Promise.all([failing.stop(), watcher.stop()])
  }
})

const create = async (url: string, events: string[]): Promise<string> =>
  (await acme.call(webhooks.create, { body: { name: 'Sink', url, events } })).body.id

/** An event that goes to the failing endpoint only. */
async function cause(): Promise<void> {
  await acme.call(webhooks.update, { params: { id }, body: { description: 'changed' } })
  await local.drain()
}

const told = () => watcher.received.map(({ event }) => event)
const toFailing = () => failing.received.map(({ event }) => event.type)

describe('a change of an endpoint’s status', () => {
  test('into error and back is told to the tenant’s other endpoints, never to itself', async () => {
    failing.status = 503
    for (let count = 0; count < 5; count += 1) await cause()
    await local.advance(2_000_000)
    failing.status = 204
    await cause()

    expect(told()).toMatchObject([
      { type: 'webhook.endpoint.error', data: { endpoint_id: id, consecutive_failed: 5, last_status_code: 503 } },
      { type: 'webhook.endpoint.recovered', data: { endpoint_id: id, status: 'active' } },
    ])
    expect(toFailing().filter((type) => type.startsWith('webhook.endpoint.'))).toEqual([])
  })

  test('in error each new event gets one POST', async () => {
    failing.status = 503
    for (let count = 0; count < 5; count += 1) await cause()
    await local.advance(2_000_000)
    failing.received.length = 0

    await cause()
    await local.advance(2_000_000)

    expect(toFailing()).toEqual(['evidence.emitted'])
    const { body } = await acme.call(webhooks.deliveries, { params: { id }, query: { limit: 1 } })
    expect(body.items).toMatchObject([{ status: 'failed', attempt: 0, failure_reason: 'endpoint_error' }])
  })

  test('by 410 is told with its reason, and nothing more is sent', async () => {
    failing.status = 410
    await cause()
    await cause()

    expect(told()).toMatchObject([{ type: 'webhook.endpoint.disabled', data: { endpoint_id: id, reason: 'gone' } }])
    expect(failing.received).toHaveLength(1)
    expect((await acme.call(webhooks.get, { params: { id } })).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone',
    })
  })

  test('is mailed to the owners, whoever made it', async () => {
    const set = async (status: string) => {
      await acme.call(webhooks.update, { params: { id }, body: { status } })
      await local.drain() // mails of different changes keep no order among themselves
    }
    await set('disabled')
    await set('active')
    await set('active')
    failing.status = 410
    await cause()

    const mails = (await mailsTo(local, acme.owner.email)).filter(({ kind }) => kind.startsWith('webhook_'))
    expect(mails.map(({ kind }) => kind)).toEqual(['webhook_disabled', 'webhook_recovered', 'webhook_disabled'])
    expect(mails[0]?.text).toContain('Somebody of your organisation disabled it.')
    expect(mails[2]?.text).toContain('Reason: gone.')
  })
})
