import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const eventbridge = (): EventBridgeClient =>
  sharedClient('eventbridge', () => new EventBridgeClient(CLIENT_CONFIG))

// For callers that load this file late: importing the package itself would bundle all of it.
export { DescribeEventBusCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge'
