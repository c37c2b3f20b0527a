import { beforeEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { setRuntime } from '../../../../shared/base/context.ts'
import {
  AGAIN,
  comeBackAfter,
  queue,
  type QueueEvent,
  read,
  send,
  sendMany,
} from '../../../../shared/base/kernel/queue.ts'
import { onAlarm } from '../../../../shared/base/lib/log.ts'
import { currentTrace, inTrace } from '../../../../shared/base/lib/trace.ts'
import { intercept } from '../../../support/intercept.ts'
import { testClock } from '../../../support/test-clock.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const numbers = queue('measure', z.object({ number: z.int() }))

type Entry = { Id: string; MessageBody: string; DelaySeconds?: number; MessageAttributes?: object }
type Input = { QueueUrl: string; Entries: Entry[] }

/** Requests to SQS, and the ids that each of the next ones refuses. */
let requests: Input[]
let refusals: string[][]
let alarms: string[]
beforeEach(() => {
  requests = []
  refusals = []
  alarms = []
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/p-',
    LOG_LEVEL: 'off',
    AWS_REGION: 'memory',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  })
  setRuntime({ clock: testClock() })
  onAlarm((event) => alarms.push(event))
  resetClients([
    (client) =>
      intercept(client, async ({ input }) => {
        requests.push(input as Input)
        const refused = refusals.shift() ?? []
        return { Successful: [], Failed: refused.map((Id) => ({ Id, SenderFault: false, Code: 'InternalError' })) }
      }),
  ])
})

const entries = () => requests.map(({ Entries }) => Entries.map(({ MessageBody }) => JSON.parse(MessageBody).number))
const upTo = (count: number) => Array.from({ length: count }, (_, number) => ({ number }))

describe('sending', () => {
  test('puts the message into the queue of that name', async () => {
    await send(numbers, { number: 1 })

    expect(requests).toEqual([
      { QueueUrl: 'https://sqs.memory/p-measure', Entries: [{ Id: '0', MessageBody: '{"number":1}' }] },
    ])
  })

  test('puts at most ten into a request, and none into none', async () => {
    await sendMany(numbers, upTo(12))
    await sendMany(numbers, [])

    expect(entries()).toEqual([upTo(10).map(({ number }) => number), [10, 11]])
  })

  test('keeps a request within the bytes that SQS accepts', async () => {
    const texts = queue('measure', z.string())
    await sendMany(texts, ['é'.repeat(60_000), 'é'.repeat(60_000), 'é'.repeat(60_000)])

    expect(requests.map(({ Entries }) => Entries.length)).toEqual([2, 1])
  })

  test('sends what was refused again, and nothing else', async () => {
    refusals = [['1', '2'], ['2']]
    await sendMany(numbers, upTo(3))

    expect(entries()).toEqual([[0, 1, 2], [1, 2], [2]])
  })

  test('throws when a message is refused for the third time', async () => {
    refusals = [['0'], ['0'], ['0']]

    await expect(sendMany(numbers, upTo(2))).rejects.toThrow('the queue measure refused 1 messages')
    expect(requests).toHaveLength(3)
  })

  test('delays by whole seconds, at most by what SQS can', async () => {
    await send(numbers, { number: 1 }, { delaySeconds: 1.2 })
    await send(numbers, { number: 1 }, { delaySeconds: 5_000 })

    expect(requests.map(({ Entries }) => Entries[0]?.DelaySeconds)).toEqual([2, 900])
  })

  test('carries the trace of the work at hand', async () => {
    await inTrace(TRACE, () => send(numbers, { number: 1 }))

    const StringValue = `00-${TRACE}-4bf92f3577b34da6-01`
    expect(requests[0]?.Entries[0]?.MessageAttributes).toEqual({ traceparent: { DataType: 'String', StringValue } })
  })
})

const record = (messageId: string, body: string) => ({ messageId, body })
const batch = (...Records: QueueEvent['Records']): QueueEvent => ({ Records })
const FAILED = { failed: 'not_counted' }

describe('reading', () => {
  test('gives each message to the work, in order', async () => {
    const seen: number[] = []
    const event = batch(record('a', '{"number":1}'), record('b', '{"number":2}'))
    const answer = await read(numbers, event, FAILED, async ({ number }) => seen.push(number))

    expect(seen).toEqual([1, 2])
    expect(answer).toEqual({ batchItemFailures: [] })
  })

  test.each([
    ['is no JSON', 'number 1'],
    ['does not fit the schema', '{"number":"one"}'],
  ])('returns a message that %s with an alarm, and works on the others', async (_, body) => {
    const seen: number[] = []
    const event = batch(record('bad', body), record('good', '{"number":2}'))
    const answer = await read(numbers, event, FAILED, async ({ number }) => seen.push(number))

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] })
    expect(seen).toEqual([2])
    expect(alarms).toEqual(['not_counted'])
  })

  test('returns a message whose work throws with an alarm', async () => {
    const answer = await read(numbers, batch(record('a', '{"number":1}')), FAILED, () =>
      Promise.reject(new Error('no')),
    )

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }] })
    expect(alarms).toEqual(['not_counted'])
  })

  test('returns without an alarm what is to come again and what fails as expected', async () => {
    const event = batch(record('a', '{"number":1}'), record('b', '{"number":2}'))
    const expected = (error: unknown) => error instanceof RangeError
    const answer = await read(numbers, event, { ...FAILED, expected }, async ({ number }) => {
      if (number === 2) throw new RangeError('busy')
      return AGAIN
    })

    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'a' }, { itemIdentifier: 'b' }] })
    expect(alarms).toEqual([])
  })

  test('works on so many at once as is said', async () => {
    const both = Promise.withResolvers<void>()
    let running = 0
    const event = batch(record('a', '{"number":1}'), record('b', '{"number":2}'))
    const answer = await read(numbers, event, { ...FAILED, atOnce: 2 }, () => {
      running += 1
      if (running === 2) both.resolve()
      return both.promise
    })

    expect(answer).toEqual({ batchItemFailures: [] })
  })

  test('works on each message under its own trace, and under none where the message has none', async () => {
    const traced = (id: string, trace: string) => ({
      ...record(id, '{"number":1}'),
      messageAttributes: { traceparent: { stringValue: `00-${trace}-00f067aa0ba902b7-01` } },
    })
    const other = TRACE.replace('4', '5')
    const seen: (string | undefined)[] = []
    const event = batch(traced('a', TRACE), traced('b', other), record('c', '{"number":1}'))
    await read(numbers, event, { ...FAILED, atOnce: 3 }, async () => {
      await Promise.resolve()
      seen.push(currentTrace())
    })

    expect(seen).toEqual([TRACE, other, undefined])
  })

  test('says when a failed message returns, and how often it was received', async () => {
    const failing = { ...record('a', '{"number":1}'), receiptHandle: 'r', attributes: { ApproximateReceiveCount: '3' } }
    const onReturn = vi.fn<NonNullable<Parameters<typeof read>[2]['onReturn']>>((received) =>
      comeBackAfter(7, received, numbers),
    )
    await read(numbers, batch(failing), { ...FAILED, onReturn }, async () => AGAIN)

    expect(onReturn).toHaveBeenCalledWith({ receipt: 'r', receives: 3 }, undefined)
    expect(requests).toEqual([{ QueueUrl: 'https://sqs.memory/p-measure', ReceiptHandle: 'r', VisibilityTimeout: 7 }])
  })
})
