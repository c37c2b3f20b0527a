import { SQSClient } from '@aws-sdk/client-sqs'
import { clientConfig, sharedClient } from './clients.ts'

export const sqs = (): SQSClient => sharedClient('sqs', () => new SQSClient(clientConfig()))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs'
