import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const dynamodb = (): DynamoDBClient => sharedClient('dynamodb', () => new DynamoDBClient(CLIENT_CONFIG))
