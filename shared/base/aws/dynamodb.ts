import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientConfig, sharedClient } from './clients.ts'

export const dynamodb = (): DynamoDBClient => sharedClient('dynamodb', () => new DynamoDBClient(clientConfig()))
