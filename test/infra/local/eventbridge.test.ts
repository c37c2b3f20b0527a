import { DescribeEventBusCommand, EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUS_NAME, createEventBus } from '../../../infra/local/eventbridge.ts'
import { RULES } from '../../../infra/topology.ts'
import { type StandIns, startStandIns } from '../../support/stand-ins.ts'

let standIns: StandIns
let client: EventBridgeClient
let queued: { queue: string; event: object }[]
let started: unknown[]

beforeEach(async () => {
  standIns = await startStandIns()
  queued = []
  started = []
  const targets = {
    queue: (queue: string, body: string) => void queued.push({ queue, event: JSON.parse(body) }),
    stateMachine: (_: string, input: unknown) => void started.push(input),
  }
  standIns.serve(createEventBus(RULES, targets, standIns.clock))
  client = new EventBridgeClient(standIns.client)
})
afterEach(() => standIns.stop())

const entry = (over: object = {}) => ({
  EventBusName: BUS_NAME,
  Source: 'countersign.events',
  DetailType: 'action.approved',
  Detail: '{"id":"evt_1"}',
  ...over,
})
const describeBus = (Name: string) => client.send(new DescribeEventBusCommand({ Name }))
const put = (...entries: object[]) => client.send(new PutEventsCommand({ Entries: entries }))

test('an event goes to the queue of its rule in EventBridge’s envelope', async () => {
  const answer = await put(entry())

  expect(answer).toMatchObject({ FailedEntryCount: 0, Entries: [{ EventId: expect.any(String) }] })
  expect(queued).toMatchObject([
    {
      queue: 'webhook-fanout',
      event: { source: 'countersign.events', 'detail-type': 'action.approved', detail: { id: 'evt_1' } },
    },
  ])
})

test('a retry message starts the state machine with the detail alone and reaches no queue', async () => {
  await put(entry({ Source: 'countersign.internal', DetailType: 'webhook.delivery.retry', Detail: '{"delivery":1}' }))

  expect(started).toEqual([{ delivery: 1 }])
  expect(queued).toEqual([])
})

test('entries fail one by one', async () => {
  const answer = await put(entry(), entry({ Detail: 'no json' }), entry({ Source: '' }))

  expect(answer.FailedEntryCount).toBe(2)
  expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([undefined, 'MalformedDetail', 'InvalidArgument'])
  expect(queued).toHaveLength(1)
})

test('more than ten entries are refused together', async () => {
  await expect(put(...Array.from({ length: 11 }, () => entry()))).rejects.toMatchObject({ name: 'ValidationException' })
})

test('only the bus of the deployment exists', async () => {
  await expect(describeBus(BUS_NAME)).resolves.toMatchObject({ Name: BUS_NAME })
  await expect(describeBus('other')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  await expect(put(entry({ EventBusName: 'other' }))).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
})
