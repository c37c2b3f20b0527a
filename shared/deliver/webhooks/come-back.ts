// Lets a failed message of the fan-out queue come back after seconds instead of after the visibility time-out of the queue, which
// has to be longer than a worker can live.
import { currentRuntime } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import { warn } from '../../base/lib/log.ts'
import { Busy } from './deliver.ts'

/** The part of a message that Lambda passes on. */
export type QueueMessage = {
  messageId: string
  receiptHandle: string
  body: string
  attributes: { ApproximateReceiveCount: string }
}

/** Seconds after each failure. */
const PAUSES = [2, 10, 30, 60, 120]
const LAST_PAUSE = 180

/** A message whose delivery another worker holds comes back when that worker can no longer be alive. */
export function pauseSeconds({ attributes }: QueueMessage, error: unknown): number {
  if (error instanceof Busy) return secondsUntil(error.until)
  const failures = Number(attributes.ApproximateReceiveCount)
  return PAUSES[failures - 1] ?? LAST_PAUSE
}

const secondsUntil = (at: string) => Math.max(1, Math.ceil((Date.parse(at) - currentRuntime().clock.now()) / 1_000))

/** Never throws: otherwise the message comes back after the visibility time-out. */
export async function comeBack({ receiptHandle }: QueueMessage, seconds: number): Promise<void> {
  const { ChangeMessageVisibilityCommand, sqs } = await import('../../base/aws/sqs.ts')
  const QueueUrl = env('WEBHOOK_FANOUT_QUEUE_URL')
  const change = { QueueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds }
  await sqs()
    .send(new ChangeMessageVisibilityCommand(change))
    .catch((error: unknown) => warn('fan_out.comes_back_late', error, {}))
}
