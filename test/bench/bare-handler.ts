// What `cold` compares with: the smallest function that stores something.
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'

const client = new DynamoDBClient({})

export const handler = (event: { id: string }) =>
  client.send(new PutItemCommand({ TableName: process.env.TABLE_NAME, Item: { pk: { S: event.id } } }))
