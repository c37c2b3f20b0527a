// Queues: what is sent to one, and how a worker reads it. A room defines its queue once, with the schema of its messages; its
// verbs send, and the worker of the queue reads:
//
//   export const RunMessage = z.strictObject({ ...spaceMembers, run_id: z.string() })
//   export const checks = queue('checks', RunMessage)
//
//   await send(checks, { tenant_id, mode, run_id })
//
//   export const handler = (event: QueueEvent) =>
//     read(checks, event, { failed: 'checks_not_run' }, ({ run_id, ...space }) => performRun(systemContext(space), run_id))
//
// A queue delivers each message at least once and in no order, so what a worker does must be repeatable. Sending and reading are
// functions of their own, so that the bundle of a worker that only reads holds no code that sends, and its role no right to.
import type * as z from 'zod'
import { inParallel } from '../lib/in-parallel.ts'
import { alarm, warn } from '../lib/log.ts'
import { runtime } from '../lib/runtime.ts'
import { currentTrace, inTrace, traceIdOf, traceparentOf } from '../lib/trace.ts'
import type { QueueName } from '../catalog/queues.ts'

export type Queue<S extends z.ZodType> = { readonly name: QueueName; readonly Message: S }

export const queue = <S extends z.ZodType>(name: QueueName, Message: S): Queue<S> => ({ name, Message })

type SendOptions = { delaySeconds?: number }

/** Limits of SQS. */
const ENTRIES_MAX = 10
const BATCH_BYTES_MAX = 262_144
const DELAY_SECONDS_MAX = 900

/** Bytes of a message beside its body: id, and the attribute with its name and type. */
const BESIDE_BODY_BYTES = 100
const TRIES = 3
const PAUSE_MS = 100

/** Like `sendMany`, for one message. */
export const send = <S extends z.ZodType>(to: Queue<S>, message: z.input<S>, options?: SendOptions): Promise<void> =>
  sendMany(to, [message], options)

/**
 * Afterwards the queue holds every message, each with the trace of the work at hand. Throws when the queue still refuses one at the
 * third try; the others are sent then. A crash between two batches leaves the first one sent, so a caller that repeats sends these
 * twice. A delay of more than 15 minutes becomes 15 minutes: a worker has to check whether it comes too early.
 */
export async function sendMany<S extends z.ZodType>(
  to: Queue<S>,
  messages: readonly z.input<S>[],
  { delaySeconds = 0 }: SendOptions = {},
): Promise<void> {
  if (messages.length === 0) return
  const { queueUrl, SendMessageBatchCommand, sqs } = await import('../aws/sqs.ts')
  const QueueUrl = queueUrl(to.name)
  const all = messages.map((message, index) => entryOf(String(index), JSON.stringify(message), delaySeconds))
  for (const batch of batchesOf(all)) {
    let open = batch
    for (let attempt = 0; open.length > 0; attempt += 1) {
      if (attempt >= TRIES) throw new Error(`the queue ${to.name} refused ${open.length} messages`)
      if (attempt > 0) await runtime.clock.sleep(PAUSE_MS * 2 ** attempt)
      const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries: open }))
      const refused = new Set(Failed.map(({ Id }) => Id)) // a successful answer names what failed
      open = open.filter(({ Id }) => refused.has(Id))
    }
  }
}

type Entry = ReturnType<typeof entryOf>

function entryOf(Id: string, MessageBody: string, delaySeconds: number) {
  const trace_id = currentTrace()
  return {
    Id,
    MessageBody,
    ...(delaySeconds > 0 && { DelaySeconds: Math.min(DELAY_SECONDS_MAX, Math.ceil(delaySeconds)) }),
    ...(trace_id !== undefined && {
      MessageAttributes: { traceparent: { DataType: 'String', StringValue: traceparentOf(trace_id) } },
    }),
  }
}

function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = []
  let bytes = 0
  for (const entry of entries) {
    const size = Buffer.byteLength(entry.MessageBody) + BESIDE_BODY_BYTES
    const batch = batches.at(-1)
    if (batch && batch.length < ENTRIES_MAX && bytes + size <= BATCH_BYTES_MAX) {
      batch.push(entry)
      bytes += size
    } else {
      batches.push([entry])
      bytes = size
    }
  }
  return batches
}

/** The parts of Lambda's event that are read. Tests leave out what a worker does not use. */
export type QueueEvent = { Records: readonly QueueRecord[] }
type QueueRecord = {
  messageId: string
  body: string
  receiptHandle?: string
  attributes?: { ApproximateReceiveCount: string }
  messageAttributes?: { traceparent?: { stringValue?: string } }
}

/** A message at hand. `receives`: how often it was received, this time included. */
export type Received = { receipt: string; receives: number }

/** `work` returns it to have its message come back without an alarm. */
export const AGAIN = 'again'

type Reading = {
  /** The alarm for a message that does not parse, or whose work throws. */
  failed: string
  /** Messages that are worked on at the same time. Default: one after the other. */
  atOnce?: number
  /** True for errors that are no fault: the message comes back without an alarm. */
  expected?: (error: unknown) => boolean
  /** Called before a failed message goes back, for example to say by `comeBackAfter` when it returns. */
  onReturn?: (received: Received, error: unknown) => Promise<void>
}

/**
 * Does the work of each message of a batch, under the trace with which it was sent, and returns what Lambda has to put back into the
 * queue: messages that do not parse, whose work throws, or whose work returns `AGAIN`. One that fails does not stop the others. What
 * was received too often goes to the dead-letter queue. A worker that dies returns the whole batch.
 */
export async function read<S extends z.ZodType>(
  from: Queue<S>,
  { Records }: QueueEvent,
  { failed, atOnce = 1, expected = () => false, onReturn }: Reading,
  work: (message: z.output<S>, received: Received) => Promise<unknown>,
): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> {
  const attempt = async ({ messageId, body, receiptHandle = '', attributes }: QueueRecord) => {
    const received = { receipt: receiptHandle, receives: Number(attributes?.ApproximateReceiveCount ?? 1) }
    try {
      if ((await work(from.Message.parse(JSON.parse(body)), received)) !== AGAIN) return []
      await onReturn?.(received, undefined)
    } catch (error) {
      if (!expected(error)) alarm(failed, error, { message: messageId })
      await onReturn?.(received, error)
    }
    return [{ itemIdentifier: messageId }]
  }
  const ended = await inParallel(atOnce, Records, (record) => {
    const trace_id = traceIdOf(record.messageAttributes?.traceparent?.stringValue)
    return trace_id === undefined ? attempt(record) : inTrace(trace_id, () => attempt(record))
  })
  return { batchItemFailures: ended.flat() }
}

/**
 * Has a failed message return after seconds, instead of after the visibility time-out of the queue, which has to be longer than a
 * worker can live. Never throws: then the message returns after that time-out.
 */
export async function comeBackAfter(seconds: number, { receipt }: Received, { name }: Queue<z.ZodType>): Promise<void> {
  const { ChangeMessageVisibilityCommand, queueUrl, sqs } = await import('../aws/sqs.ts')
  const change = { QueueUrl: queueUrl(name), ReceiptHandle: receipt, VisibilityTimeout: seconds }
  await sqs()
    .send(new ChangeMessageVisibilityCommand(change))
    .catch((error: unknown) => warn('message_comes_back_late', error, { queue: name }))
}
