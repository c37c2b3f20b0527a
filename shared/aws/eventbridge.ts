import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const eventbridge = (): EventBridgeClient =>
  sharedClient('eventbridge', () => new EventBridgeClient(CLIENT_CONFIG))
