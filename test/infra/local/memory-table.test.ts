// The double must refuse what DynamoDB refuses: a test that passes on a kinder table proves nothing.
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { beforeEach, describe, expect, test } from 'vitest'
import { MemoryTable } from '../../support/memory-table.ts'
import { takeRefused } from '../../support/strict-expressions.ts'

const TableName = 'table'

let table: MemoryTable
let client: DynamoDBClient
beforeEach(() => {
  table = new MemoryTable()
  client = table.client()
})

const put = (item: object) => client.send(new PutItemCommand({ TableName, Item: marshall({ sk: 'S', ...item }) }))
const read = async (pk: string) => {
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: marshall({ pk, sk: 'S' }) }))
  return Item && unmarshall(Item)
}
const update = async (input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>, values: object = {}) => {
  const ExpressionAttributeValues = Object.keys(values).length > 0 ? marshall(values) : undefined
  const Key = marshall({ pk: 'P', sk: 'S' })
  await client.send(new UpdateItemCommand({ TableName, Key, ...input, ExpressionAttributeValues }))
  return read('P')
}
const query = async (input: Partial<QueryCommandInput>, values: object) => {
  const given = { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: marshall(values), ...input }
  const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(given))
  return { items: Items.map((item) => unmarshall(item)), last: LastEvaluatedKey && unmarshall(LastEvaluatedKey) }
}

describe('updates', () => {
  test('set, remove and add, each reading the item as it was before', async () => {
    await put({ pk: 'P', a: 1, b: 2, map: { x: 1 }, list: [1] })
    const expression = 'SET a = b, #m.x = a + :n, c = if_not_exists(c, :n), #l = list_append(#l, :l) REMOVE b ADD d :n'
    const input = { UpdateExpression: expression, ExpressionAttributeNames: { '#m': 'map', '#l': 'list' } }

    expect(await update(input, { ':n': 5, ':l': [2] })).toEqual({
      pk: 'P',
      sk: 'S',
      a: 2,
      map: { x: 6 },
      c: 5,
      list: [1, 2],
      d: 5,
    })
  })

  test('create the item they name, unless their condition forbids', async () => {
    expect(await update({ UpdateExpression: 'SET a = :a' }, { ':a': 1 })).toMatchObject({ a: 1 })

    const ConditionExpression = 'attribute_not_exists(pk)'
    await expect(update({ UpdateExpression: 'SET a = :a', ConditionExpression }, { ':a': 2 })).rejects.toThrow(
      ConditionalCheckFailedException,
    )
  })
})

describe('conditions', () => {
  test.each([
    ['n = :five', true],
    ['n <> :five', false],
    ['absent <> :five', true],
    ['absent = :five', false],
    ['n BETWEEN :one AND :five', true],
    ['n IN (:one, :five)', true],
    ['begins_with(t, :ab)', true],
    ['contains(t, :bc)', true],
    ['size(t) > :one', true],
    ['attribute_exists(n) AND NOT attribute_exists(absent)', true],
    ['n = :one OR n = :five AND t = :ab', false],
    ['(n = :one OR n = :five) AND begins_with(t, :ab)', true],
    ['t > :one', false], // other types have no order
    ['b = :bytes', true],
  ])('%s is %s', async (ConditionExpression, expected) => {
    await put({ pk: 'P', n: 5, t: 'abc', b: Buffer.from('x') })
    const all = { ':one': 1, ':five': 5, ':ab': 'ab', ':bc': 'bc', ':bytes': Buffer.from('x') }
    const used = Object.entries(all).filter(([name]) => name === ':one' || ConditionExpression.includes(name))
    const values = Object.fromEntries(used)
    const outcome = update({ UpdateExpression: 'SET done = :one', ConditionExpression }, values)

    expect(
      await outcome.then(
        () => true,
        () => false,
      ),
    ).toBe(expected)
  })

  test.each(['a ~ :a', 'a = :b', 'other(a)'])(
    '%s cannot be read and is refused, never taken for true',
    async (text) => {
      const given = { UpdateExpression: 'SET a = :a', ConditionExpression: text }

      await expect(update(given, { ':a': 1 })).rejects.toThrow()
      expect(takeRefused()).toHaveLength(1)
    },
  )
})

const Put = (pk: string) => ({
  TableName,
  Item: marshall({ pk, sk: 'S' }),
  ConditionExpression: 'attribute_not_exists(pk)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
})

describe('transactions', () => {
  const commit = (...keys: string[]) =>
    client.send(new TransactWriteItemsCommand({ TransactItems: keys.map((pk) => ({ Put: Put(pk) })) }))

  test('happen as a whole or not at all, and say which condition failed', async () => {
    await commit('A')
    const error = await commit('B', 'A').catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(TransactionCanceledException)
    expect(error).toMatchObject({
      CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', Item: marshall({ pk: 'A', sk: 'S' }) }],
    })
    expect(await read('B')).toBeUndefined()
  })

  test('may touch an item once', async () => {
    await expect(commit('A', 'A')).rejects.toThrow('multiple operations on one item')
  })

  test('with the same token happen once', async () => {
    const ClientRequestToken = 'token'
    const Update = { TableName, Key: marshall({ pk: 'P', sk: 'S' }), UpdateExpression: 'ADD n :n' }
    const TransactItems = [{ Update: { ...Update, ExpressionAttributeValues: marshall({ ':n': 1 }) } }]
    await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken }))
    await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken }))

    expect(await read('P')).toMatchObject({ n: 1 })
  })
})

const keys = (items: Record<string, unknown>[]) => items.map(({ sk }) => sk)

describe('queries', () => {
  beforeEach(async () => {
    for (const sk of ['B', 'A', 'C', 'É', 'a'])
      await put({ pk: 'P', sk, gsi1pk: 'G', gsi1sk: sk === 'A' ? 'z' : 'y', more: 1 })
    await put({ pk: 'Q', gsi1pk: 'G' })
  })

  test('answer one partition in byte order, in both directions', async () => {
    expect(keys((await query({}, { ':pk': 'P' })).items)).toEqual(['A', 'B', 'C', 'a', 'É'])
    expect(keys((await query({ ScanIndexForward: false }, { ':pk': 'P' })).items)).toEqual(['É', 'a', 'C', 'B', 'A'])
  })

  test('page with the last key read, and never past the end', async () => {
    const first = await query({ Limit: 2 }, { ':pk': 'P' })
    const rest = await query({ ExclusiveStartKey: marshall(first.last ?? {}) }, { ':pk': 'P' })

    expect(first.last).toEqual({ pk: 'P', sk: 'B' })
    expect(keys(rest.items)).toEqual(['C', 'a', 'É'])
    expect(rest.last).toBeUndefined()
  })

  test('name a last key when the limit is reached, even where nothing follows', async () => {
    expect((await query({ Limit: 5 }, { ':pk': 'P' })).last).toEqual({ pk: 'P', sk: 'É' })
  })

  test('on an index show keys only, leave out items without its keys, and are never consistent', async () => {
    const onIndex = { IndexName: 'gsi1', KeyConditionExpression: 'gsi1pk = :pk' }
    const { items } = await query(onIndex, { ':pk': 'G' })

    expect(keys(items)).toEqual(['B', 'C', 'a', 'É', 'A'])
    expect(items[0]).not.toHaveProperty('more')
    await expect(query({ ...onIndex, ConsistentRead: true }, { ':pk': 'G' })).rejects.toThrow('Consistent reads')
  })

  test('end a page at a megabyte', async () => {
    for (let n = 0; n < 4; n += 1) await put({ pk: 'big', sk: String(n), text: 'x'.repeat(380_000) })

    expect((await query({}, { ':pk': 'big' })).items).toHaveLength(2)
  })
})

test('items above 400 KB and batches above 100 keys are refused', async () => {
  await expect(put({ pk: 'P', text: 'x'.repeat(409_600) })).rejects.toThrow('Item size')

  const Keys = Array.from({ length: 101 }, (_, n) => marshall({ pk: String(n), sk: 'S' }))
  await expect(client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }))).rejects.toThrow(
    'Too many',
  )
})

test('the stream tells of every change with both images', async () => {
  await put({ pk: 'P', a: 1 })
  await put({ pk: 'P', a: 2 })

  expect(table.stream).toMatchObject([
    { eventName: 'INSERT', newImage: { a: { N: '1' } } },
    { eventName: 'MODIFY', oldImage: { a: { N: '1' } }, newImage: { a: { N: '2' } } },
  ])
  expect(table.stream[0]).not.toHaveProperty('oldImage')
})

const crash = () => {
  throw new Error('crash')
}

test('hooks act before a request is sent and after its effect', async () => {
  table.hooks = { before: crash }
  await expect(put({ pk: 'A' })).rejects.toThrow('crash')
  table.hooks = { after: crash }
  await expect(put({ pk: 'B' })).rejects.toThrow('crash')
  table.hooks = {}

  expect([await read('A'), await read('B')]).toEqual([undefined, { pk: 'B', sk: 'S' }])
})
