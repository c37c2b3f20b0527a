// Stand-in for an SQS event source: passes batches of a queue to a worker and deletes the messages that the worker does not
// report as failed. The others return after their visibility time-out.
import { createHash } from 'node:crypto'
import type { Message, Queues } from './sqs.ts'

export type QueueSource = {
  queue: string
  batchSize: number
  invoke: (event: { Records: object[] }) => Promise<unknown>
}

type Response = { batchItemFailures?: { itemIdentifier: string }[] } | null

/** Processes one batch; false when nothing was visible. Throws the worker's error; then the whole batch returns. */
export async function consume(queues: Queues, { queue, batchSize, invoke }: QueueSource): Promise<boolean> {
  const messages = queues.receive(queue, batchSize)
  if (messages.length === 0) return false
  const response = (await invoke({ Records: messages.map(recordOf) })) as Response // the contract of ReportBatchItemFailures
  const failed = new Set((response?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier))
  for (const message of messages) if (!failed.has(message.id)) queues.remove(message)
  return true
}

const recordOf = ({ id, queue, body, traceparent, receives, sent_at, first_received_at }: Message) => ({
  messageId: id,
  receiptHandle: id,
  body,
  md5OfBody: createHash('md5').update(body).digest('hex'),
  attributes: {
    ApproximateReceiveCount: String(receives),
    SentTimestamp: String(sent_at),
    SenderId: '000000000000',
    ApproximateFirstReceiveTimestamp: String(first_received_at),
  },
  messageAttributes: traceparent === null ? {} : { traceparent: { stringValue: traceparent, dataType: 'String' } },
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
  awsRegion: 'us-east-1',
})
