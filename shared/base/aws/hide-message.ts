// Lets a failed message of a queue come back after seconds instead of after the visibility time-out of the queue, which has to
// be longer than a worker can live.
import { env } from '../lib/env.ts'
import { warn } from '../lib/log.ts'

/** The part of a message that Lambda passes on. */
export type QueueMessage = {
  messageId: string
  receiptHandle: string
  body: string
  attributes: { ApproximateReceiveCount: string }
}

/** Never throws: otherwise the message comes back after the visibility time-out. */
export async function hideMessage(queue: string, { receiptHandle }: QueueMessage, seconds: number): Promise<void> {
  const { ChangeMessageVisibilityCommand, sqs } = await import('./sqs.ts')
  const change = { QueueUrl: env(queue), ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }
  await sqs()
    .send(new ChangeMessageVisibilityCommand(change))
    .catch((error: unknown) => warn('message_comes_back_late', error, { queue }))
}
