import { SQSClient } from '@aws-sdk/client-sqs'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const sqs = (): SQSClient => sharedClient('sqs', () => new SQSClient(CLIENT_CONFIG))
