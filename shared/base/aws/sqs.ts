import { SQSClient } from '@aws-sdk/client-sqs'
import { env } from '../lib/runtime.ts'
import type { QueueName } from '../catalog/queues.ts'
import { clientConfig, sharedClient } from './clients.ts'

export const sqs = (): SQSClient => sharedClient('sqs', () => new SQSClient(clientConfig()))

/** All queues of a deployment have one address but for their name; each has a dead-letter queue `<name>-dlq`. */
export const queueUrl = (name: QueueName | `${QueueName}-dlq`): string => env('QUEUE_BASE') + name

// For dynamic imports of this file: importing the package itself would bundle all of it.
export { ChangeMessageVisibilityCommand, GetQueueAttributesCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs'
