// From a commit through stream, bus, queue and state machine to a receiver, on the clock of the test.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000

const local = useLocalStack()
let receiver: Receiver
let acme: TestTenant

beforeEach(async () => {
  receiver = await startReceiver()
  acme = await local.tenant()
  await local.drain() // the tenant's own events are over
  const subscription = { name: 'all', url: receiver.url, events: ['*'] }
  expect(await acme.call(webhooks.create, { body: subscription })).toMatchObject({ status: 201 })
  await local.drain()
  receiver.deliveries.length = 0
})
afterEach(() => receiver.stop())

/** A commit with exactly one event. */
const commit = () =>
  acme.call(protocol.registerManifest, {
    body: {
      manifest: {
        protocol_version: '1.0',
        node: { id: 'test.local.path', name: 'Node', version: '1.0.0', endpoints: [{ action_id: 'read_thing' }] },
      },
    },
  })

const attempts = () => receiver.deliveries.map(({ attempt }) => attempt)

test('an event reaches its receiver in one drain, once', async () => {
  expect(await commit()).toMatchObject({ status: 201 })
  expect(receiver.deliveries).toEqual([])

  await local.drain()

  expect(receiver.deliveries).toMatchObject([{ type: 'evidence.emitted', attempt: 0 }])
})

test('a failed delivery is tried again when its time has come and not before', async () => {
  receiver.answer(500, 500)
  await commit()
  await local.drain()

  await local.advance(MINUTE - 1_000)
  expect(attempts()).toEqual([0])
  await local.advance(2_000)
  expect(attempts()).toEqual([0, 1])
  await local.advance(2 * MINUTE)
  expect(attempts()).toEqual([0, 1, 2])
  await local.advance(60 * MINUTE)
  expect(attempts()).toEqual([0, 1, 2])
})

test('a receiver that never answers well gets eight attempts', async () => {
  receiver.answer(...Array.from({ length: 20 }, () => 503))
  await commit()
  await local.drain()

  await local.advance(24 * 60 * MINUTE)

  expect(attempts()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
})
