// What our code relies on DynamoDB for, checked on the local one through the SDK.
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Dynamodb, startDynamodb } from '../../../infra/local/dynamodb.ts'
import { createTables, removeExpired, TABLE_NAME as TableName } from '../../../infra/local/tables.ts'
import { LOCAL_CLIENT, temporaryDirectory } from '../../support/stand-ins.ts'

const directory = temporaryDirectory()
let server: Dynamodb
let client: DynamoDBClient

const start = async () => {
  server = await startDynamodb(directory)
  client = new DynamoDBClient({ ...LOCAL_CLIENT, endpoint: server.endpoint })
  return createTables(server.call)
}
beforeAll(start)
afterAll(async () => {
  await server.close()
  rmSync(directory, { recursive: true })
})

type Item = Record<string, AttributeValue>
const keyOf = (pk: string): Item => ({ pk: { S: pk }, sk: { S: 'K' } })
const put = (pk: string, more: Item = {}) =>
  client.send(new PutItemCommand({ TableName, Item: { ...keyOf(pk), ...more } }))
const get = async (pk: string) =>
  (await client.send(new GetItemCommand({ TableName, Key: keyOf(pk), ConsistentRead: true }))).Item
const insert = (pk: string): TransactWriteItem => ({
  Put: {
    TableName,
    Item: keyOf(pk),
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
})
const commit = (TransactItems: TransactWriteItem[], ClientRequestToken?: string) =>
  client.send(new TransactWriteItemsCommand({ TransactItems, ...(ClientRequestToken && { ClientRequestToken }) }))

describe('transactions', () => {
  test('one failed condition cancels all writes, and its reason shows the item in the way', async () => {
    await put('taken', { owner: { S: 'me' } })

    await expect(commit([insert('beside'), insert('taken')])).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: { owner: { S: 'me' } } }],
    })
    expect(await get('beside')).toBeUndefined()
  })

  test('the same request token applies once; with another content it is refused', async () => {
    await commit([insert('once')], 'token-1')

    await expect(commit([insert('once')], 'token-1')).resolves.toBeDefined()
    await expect(commit([insert('else')], 'token-1')).rejects.toMatchObject({
      name: 'IdempotentParameterMismatchException',
    })
  })
})

test('a failed condition of an update returns the item that stands there', async () => {
  await put('counter', { n: { N: '5' } })

  const update = new UpdateItemCommand({
    TableName,
    Key: keyOf('counter'),
    UpdateExpression: 'SET #d = if_not_exists(#d, :zero) + :one',
    ConditionExpression: 'n < :max',
    ExpressionAttributeNames: { '#d': 'd' },
    ExpressionAttributeValues: { ':zero': { N: '0' }, ':one': { N: '1' }, ':max': { N: '5' } },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })

  await expect(client.send(update)).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
    Item: { n: { N: '5' } },
  })
})

test('an index lists items in key order and holds nothing but keys', async () => {
  for (const [pk, at] of [
    ['one', '1'],
    ['two', '2'],
  ] as const) {
    await put(pk, { gsi1pk: { S: 'list' }, gsi1sk: { S: at }, secret: { S: 'x' } })
  }

  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'gsi1',
      KeyConditionExpression: 'gsi1pk = :list',
      ExpressionAttributeValues: { ':list': { S: 'list' } },
      ScanIndexForward: false,
    }),
  )

  expect(Items?.map((item) => item.pk?.S)).toEqual(['two', 'one'])
  expect(Items?.[0]).not.toHaveProperty('secret')
})

test('what expired is removed, what has time left or none stays', async () => {
  const now = 1_800_000_000_000
  await put('expired', { _ttl: { N: '1799999999' } })
  await put('later', { _ttl: { N: '1800000001' } })

  await removeExpired(server.call, now)

  expect(await get('expired')).toBeUndefined()
  expect(await get('later')).toBeDefined()
  expect(await get('taken')).toBeDefined()
})

test('the stream records have their index and their trigger', () => {
  const db = new DatabaseSync(join(directory, 'dynamodb.sqlite'), { readOnly: true })
  const names = db.prepare("SELECT type FROM sqlite_master WHERE name LIKE 'countersign_stream%' ORDER BY type").all()
  db.close()

  expect(names).toMatchObject([{ type: 'index' }, { type: 'trigger' }])
})

test('everything acknowledged survives a kill, and the next start finds the same stream', async () => {
  const stream = await createTables(server.call)
  await Promise.all(Array.from({ length: 20 }, (_, index) => put(`kept-${index}`)))
  process.kill(Number(server.pid), 'SIGKILL')
  await server.died

  expect(await start()).toBe(stream)
  const kept = await Promise.all(Array.from({ length: 20 }, (_, index) => get(`kept-${index}`)))
  expect(kept.every((item) => item !== undefined)).toBe(true)
})
