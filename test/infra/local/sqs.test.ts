import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { consume } from '../../../infra/local/queue-consumer.ts'
import { createQueues, type Queues } from '../../../infra/local/sqs.ts'
import { type StandIns, startStandIns } from '../../support/stand-ins.ts'

const SETTINGS = { work: { visibilitySeconds: 30, maxReceives: 2 } }

let standIns: StandIns
let queues: Queues
let client: SQSClient
let QueueUrl: string

const open = () => createQueues(standIns.disk.db, SETTINGS, standIns.url, standIns.clock)

beforeEach(async () => {
  standIns = await startStandIns()
  queues = open()
  standIns.serve(queues.actions)
  client = new SQSClient(standIns.client)
  QueueUrl = queues.url('work')
})
afterEach(() => standIns.stop())

const pass = (ms: number) => standIns.clock.sleep(ms)
const bodies = (queue = 'work') => queues.receive(queue, 10).map(({ body }) => body)

type Invoke = (event: { Records: object[] }) => Promise<unknown>
const source = (invoke: Invoke) => ({ queue: 'work', batchSize: 10, invoke })

describe('sending', () => {
  test('messages arrive in order and the queue tells its depth', async () => {
    const Entries = ['one', 'two', 'three'].map((MessageBody, index) => ({ Id: String(index), MessageBody }))
    const batch = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))

    expect(batch).toMatchObject({ Successful: [{ Id: '0' }, { Id: '1' }, { Id: '2' }], Failed: [] })
    expect(Attributes).toMatchObject({ ApproximateNumberOfMessages: '3' })
    expect(bodies()).toEqual(['one', 'two', 'three'])
  })

  test('a delayed message is not visible before its time', async () => {
    const Entries = [{ Id: '0', MessageBody: 'later', DelaySeconds: 5 }]
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))

    expect(bodies()).toEqual([])
    await pass(5_000)
    expect(bodies()).toEqual(['later'])
  })

  test('an unknown queue has the error name of AWS', async () => {
    const Entries = [{ Id: '0', MessageBody: 'x' }]
    const sending = client.send(new SendMessageBatchCommand({ QueueUrl: queues.url('other'), Entries }))

    await expect(sending).rejects.toMatchObject({ name: 'QueueDoesNotExist' })
  })
})

describe('receiving', () => {
  test('a receiver can let a message come back earlier than its visibility time-out', async () => {
    queues.send('work', 'soon')
    const [message] = queues.receive('work', 1)
    const change = { QueueUrl, ReceiptHandle: message?.id, VisibilityTimeout: 2 }
    await client.send(new ChangeMessageVisibilityCommand(change))

    await pass(1_000)
    expect(bodies()).toEqual([])
    await pass(1_001)
    expect(bodies()).toEqual(['soon'])
  })

  test('a received message is hidden until its visibility time-out is over', async () => {
    queues.send('work', 'again')

    expect(bodies()).toEqual(['again'])
    expect(bodies()).toEqual([])
    await pass(30_000)
    expect(bodies()).toEqual(['again'])
  })

  test('what was received too often moves to the dead-letter queue', async () => {
    queues.send('work', 'poison')
    for (const _ of [1, 2]) {
      bodies()
      await pass(30_000)
    }

    expect(bodies()).toEqual([])
    expect(bodies('work-dlq')).toEqual(['poison'])
  })

  test('what was in flight when the process died comes back at the next start', () => {
    queues.send('work', 'in flight')
    bodies()

    queues = open()

    expect(bodies()).toEqual(['in flight'])
  })
})

describe('consuming', () => {
  test('the worker gets an SQS event, and what it took is gone', async () => {
    queues.send('work', '{"a":1}')
    const events: object[] = []

    const more = await consume(
      queues,
      source(async (event) => void events.push(event)),
    )

    expect(more).toBe(true)
    expect(events).toMatchObject([
      { Records: [{ body: '{"a":1}', eventSource: 'aws:sqs', attributes: { ApproximateReceiveCount: '1' } }] },
    ])
    await pass(30_000)
    expect(
      await consume(
        queues,
        source(async () => null),
      ),
    ).toBe(false)
  })

  test('the worker gets the trace with which a message was sent', async () => {
    const StringValue = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const MessageAttributes = { traceparent: { DataType: 'String', StringValue } }
    const Entries = [{ Id: '0', MessageBody: '{}', MessageAttributes }]
    await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
    const events: object[] = []

    await consume(
      queues,
      source(async (event) => void events.push(event)),
    )
    expect(events).toMatchObject([{ Records: [{ messageAttributes: { traceparent: { stringValue: StringValue } } }] }])
  })

  test('only what the worker reports as failed comes back', async () => {
    const [, failing] = ['good', 'bad'].map((body) => queues.send('work', body))

    await consume(
      queues,
      source(async () => ({ batchItemFailures: [{ itemIdentifier: failing }] })),
    )

    await pass(30_000)
    expect(bodies()).toEqual(['bad'])
  })

  test('a batch whose worker threw comes back as a whole', async () => {
    for (const body of ['one', 'two']) queues.send('work', body)

    await expect(
      consume(
        queues,
        source(() => Promise.reject(new Error('down'))),
      ),
    ).rejects.toThrow('down')

    await pass(30_000)
    expect(bodies()).toEqual(['one', 'two'])
  })
})
