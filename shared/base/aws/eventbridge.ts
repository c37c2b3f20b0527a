import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { clientConfig, sharedClient } from './clients.ts'

export const eventbridge = (): EventBridgeClient =>
  sharedClient('eventbridge', () => new EventBridgeClient(clientConfig()))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export { DescribeEventBusCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge'
