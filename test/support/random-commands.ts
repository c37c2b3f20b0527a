// Random commands over a few keys, so that they meet one another: what the service sends to DynamoDB, and what is refused.
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { marshall } from '@aws-sdk/util-dynamodb'
import * as fc from 'fast-check'
import { TABLE_NAME as TableName } from '../../infra/local/tables.ts'

const COMMANDS = {
  PutItemCommand,
  UpdateItemCommand,
  DeleteItemCommand,
  TransactWriteItemsCommand,
  GetItemCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  QueryCommand,
}
export type Command = { name: keyof typeof COMMANDS; input: object }
type Item = Record<string, AttributeValue>

export const PARTITIONS = ['P', 'Q'] as const

const CONDITIONS = [
  'attribute_exists(pk)',
  'attribute_not_exists(pk)',
  'n = :n',
  'n < :n OR attribute_exists(m.x)',
  'NOT t = :t',
  'begins_with(t, :t)',
  'contains(l, :t)',
  'contains(ss, :t)',
  'size(l) >= :n',
  'n BETWEEN :n AND :n',
  't IN (:t)',
  'l[0] <> :t',
  'm = :m',
]
const CHANGES = [
  'SET n = :n',
  'SET n = n + :n',
  'SET n = if_not_exists(n, :n) - :n',
  'SET m.x = :n',
  'SET m.y = if_not_exists(m.x, :n)',
  'SET l = list_append(if_not_exists(l, :l), :l)',
  'SET l[0] = :t REMOVE t',
  'SET t = :t REMOVE gsi1pk, gsi1sk',
  'REMOVE n, t, m',
  'ADD n :n, ss :s',
  'DELETE ss :s',
]
const VALUES = { ':n': 1, ':t': 'a', ':l': ['z'], ':s': new Set(['a', 'd']), ':m': { x: 1 } }

/** The values that the expressions mention; DynamoDB refuses others. */
function valuesOf(...expressions: (string | undefined)[]) {
  const used = Object.entries(VALUES).filter(([name]) => expressions.some((text) => text?.includes(name)))
  return used.length > 0 ? { ExpressionAttributeValues: marshall(Object.fromEntries(used)) } : {}
}

const optional = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined })
/** Texts whose order in UTF-8 is not that of JavaScript, too. */
const text = fc.constantFrom('', 'a', 'ab', 'B', 'é', '\u{ffff}', '\u{1f600}')
const key = fc.record({ pk: fc.constantFrom(...PARTITIONS), sk: text }).map((of) => marshall(of))
const item = fc
  .tuple(
    key,
    fc.record(
      {
        n: fc.integer({ min: -2, max: 2 }),
        t: text,
        m: fc.record({ x: fc.integer({ min: 0, max: 2 }) }),
        l: fc.array(text, { maxLength: 2 }),
        b: fc.uint8Array({ maxLength: 2 }),
        yes: fc.boolean(),
        none: fc.constant(null),
        ss: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }).map((all) => new Set(all)),
        gsi1pk: fc.constantFrom('G', 'H'),
        gsi1sk: fc.constantFrom('1', '2', ''),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([of, members]): Item => ({ ...marshall(members), ...of }))

type Guarded = { UpdateExpression?: string; ConditionExpression?: string | undefined }
const request = ({ ConditionExpression, ...input }: Guarded & object) => ({
  TableName,
  ...input,
  ...(ConditionExpression !== undefined && { ConditionExpression }),
  ...valuesOf(input.UpdateExpression, ConditionExpression),
})
const guard = {
  ConditionExpression: optional(fc.constantFrom(...CONDITIONS)),
  ReturnValuesOnConditionCheckFailure: fc.constantFrom('NONE', 'ALL_OLD'),
}
const put = { Item: item, ...guard }
const update = { Key: key, UpdateExpression: fc.constantFrom(...CHANGES), ...guard }
const remove = { Key: key, ...guard }
const check = { Key: key, ConditionExpression: fc.constantFrom(...CONDITIONS) }
/** A request of these members, which shows some of these values when it changed something. */
const requests = (members: Record<string, fc.Arbitrary<unknown>>, ...shown: string[]) =>
  fc
    .tuple(fc.record(members), fc.constantFrom(...shown, undefined))
    .map(([given, ReturnValues]) => request({ ...given, ...(ReturnValues !== undefined && { ReturnValues }) }))

const SORT_CONDITIONS = ['', ' AND sk >= :a', ' AND begins_with(sk, :a)', ' AND sk BETWEEN :a AND :z']
const query = fc
  .record({
    key,
    condition: fc.constantFrom(...SORT_CONDITIONS),
    ScanIndexForward: fc.boolean(),
    Limit: optional(fc.integer({ min: 1, max: 3 })),
    continued: fc.boolean(),
  })
  .map(({ key: { pk, sk }, condition, ScanIndexForward, Limit, continued }) => ({
    TableName,
    KeyConditionExpression: `pk = :pk${condition}`,
    ExpressionAttributeValues: {
      ':pk': pk,
      ...(condition.includes(':a') && { ':a': { S: 'a' } }),
      ...(condition.includes(':z') && { ':z': { S: '\u{10ffff}' } }),
    },
    ScanIndexForward,
    ...(Limit !== undefined && { Limit }),
    ...(continued && { ExclusiveStartKey: { pk, sk } }),
    ConsistentRead: true,
  }))
const onIndex = fc.tuple(fc.constantFrom('G', 'H'), fc.boolean()).map(([pk, ScanIndexForward]) => ({
  TableName,
  IndexName: 'gsi1',
  KeyConditionExpression: 'gsi1pk = :pk',
  ExpressionAttributeValues: marshall({ ':pk': pk }),
  ScanIndexForward,
}))

const transaction = fc.array(
  fc.oneof(
    requests(put).map((Put) => ({ Put })),
    requests(update).map((Update) => ({ Update })),
    requests(remove).map((Delete) => ({ Delete })),
    requests(check).map((ConditionCheck) => ({ ConditionCheck })),
  ),
  { minLength: 1, maxLength: 4 },
)
const keys = fc.array(key, { minLength: 1, maxLength: 3 })
const of = (name: Command['name']) => (input: object) => ({ name, input })

export const randomCommand: fc.Arbitrary<Command> = fc.oneof(
  requests(put, 'ALL_OLD').map(of('PutItemCommand')),
  requests(update, 'ALL_NEW', 'UPDATED_NEW').map(of('UpdateItemCommand')),
  requests(remove, 'ALL_OLD').map(of('DeleteItemCommand')),
  transaction.map((TransactItems) => ({ TransactItems })).map(of('TransactWriteItemsCommand')),
  key.map((Key) => ({ TableName, Key, ConsistentRead: true })).map(of('GetItemCommand')),
  keys.map((Keys) => ({ RequestItems: { [TableName]: { Keys } } })).map(of('BatchGetItemCommand')),
  item.map((Item) => ({ RequestItems: { [TableName]: [{ PutRequest: { Item } }] } })).map(of('BatchWriteItemCommand')),
  query.map(of('QueryCommand')),
  onIndex.map(of('QueryCommand')),
)

type Failed = { name: string; Item?: Item; CancellationReasons?: { Code?: string; Item?: Item }[] }
type Answer = { $metadata: unknown; Responses?: Record<string, Item[]> }

/** What the service tells by its answer or error, without metadata, and sorted where no order is promised. */
export async function answerOf(client: DynamoDBClient, { name, input }: Command): Promise<object> {
  try {
    const command: object = Reflect.construct(COMMANDS[name], [input])
    const { $metadata: _, ...answer }: Answer = await client.send(command as PutItemCommand) // whichever it is
    const order = ({ pk, sk }: Item) => JSON.stringify([pk, sk])
    answer.Responses?.[TableName]?.sort((a, b) => (order(a) < order(b) ? -1 : 1))
    return answer
  } catch (error) {
    const { name: kind, Item, CancellationReasons } = error as Failed
    return { kind, Item, reasons: CancellationReasons?.map((reason) => [reason.Code, reason.Item]) }
  }
}
