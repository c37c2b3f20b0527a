// Creates the tables of the topology and removes expired items, which the local DynamoDB does not do.
import { KEYS_TABLE, TABLE } from '../topology.ts'
import { type AwsCall, AwsCallError } from './aws-call.ts'

export const TABLE_NAME = 'countersign'
export const KEYS_TABLE_NAME = 'countersign-keys'

type KeyNames = { partitionKey: string; sortKey: string }

const keySchema = ({ partitionKey, sortKey }: KeyNames) => [
  { AttributeName: partitionKey, KeyType: 'HASH' },
  { AttributeName: sortKey, KeyType: 'RANGE' },
]
const attributes = (keys: readonly KeyNames[]) =>
  keys
    .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
    .map((AttributeName) => ({ AttributeName, AttributeType: 'S' }))

const DEFINITIONS = [
  {
    TableName: TABLE_NAME,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(TABLE),
    AttributeDefinitions: attributes([TABLE, ...TABLE.indexes]),
    GlobalSecondaryIndexes: TABLE.indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: TABLE.projection },
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  },
  {
    TableName: KEYS_TABLE_NAME,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(KEYS_TABLE),
    AttributeDefinitions: attributes([KEYS_TABLE]),
  },
]

const operation = (name: string) => `DynamoDB_20120810.${name}`

/** Creates missing tables. Returns the ARN of the main table's stream. */
export async function createTables(call: AwsCall): Promise<string> {
  for (const definition of DEFINITIONS) {
    try {
      await call(operation('CreateTable'), definition)
    } catch (error) {
      if (!(error instanceof AwsCallError) || error.name !== 'ResourceInUseException') throw error
    }
  }
  const { Table } = await call<{ Table: { LatestStreamArn: string } }>(operation('DescribeTable'), {
    TableName: TABLE_NAME,
  })
  return Table.LatestStreamArn
}

type Key = Record<'pk' | 'sk', { S: string }>
type Page = { Items: Key[]; LastEvaluatedKey?: Key }

/** Deletes items that expired before `now`, as DynamoDB's TTL does within two days. */
export async function removeExpired(call: AwsCall, now: number): Promise<void> {
  const expired = {
    TableName: TABLE_NAME,
    ExpressionAttributeNames: { '#ttl': TABLE.ttl },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1_000)) } },
  }
  let start: Key | undefined
  do {
    const page: Page = await call<Page>(operation('Scan'), {
      ...expired,
      FilterExpression: '#ttl < :now',
      ProjectionExpression: 'pk, sk',
      ...(start && { ExclusiveStartKey: start }),
    })
    for (const Key of page.Items) await removeOne(call, { ...expired, Key, ConditionExpression: '#ttl < :now' })
    start = page.LastEvaluatedKey
  } while (start)
}

/** Conditional, because the item's expiry may have been extended since it was read. */
async function removeOne(call: AwsCall, input: object): Promise<void> {
  try {
    await call(operation('DeleteItem'), input)
  } catch (error) {
    if (!(error instanceof AwsCallError) || error.name !== 'ConditionalCheckFailedException') throw error
  }
}
