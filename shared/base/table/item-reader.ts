// Reads items by their keys, always consistently, and ranges of them. Reads of keys that start in the same tick become one call.
import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  type QueryCommandInput,
  type TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { type IndexName, type Key, MAC, nameOf, toAttributes, type Write } from './entity.ts'

type Item = Record<string, AttributeValue>
type Gathering = { keys: Key[]; items: Promise<Map<string, Item>> }

/** Retries after a collision or a throttled key. */
export const RETRIES = 8

const KEYS_MAX = 100

/** Named like the SDK's own error, so that it is answered as an outage and not as an internal error. */
const throttled = () => Object.assign(new Error('unprocessed keys remain'), { name: 'ThrottlingException' })

export class ItemReader {
  readonly #client: DynamoDBClient
  readonly #table: string
  readonly #backOff: (attempt: number) => Promise<void>
  #gathering: Gathering | undefined

  constructor(client: DynamoDBClient, table: string, backOff: (attempt: number) => Promise<void>) {
    this.#client = client
    this.#table = table
    this.#backOff = backOff
  }

  async get(key: Key): Promise<Item | undefined> {
    if (!this.#gathering) {
      const keys: Key[] = []
      this.#gathering = { keys, items: Promise.resolve().then(() => this.#readGathered(keys)) }
    }
    this.#gathering.keys.push(key)
    return (await this.#gathering.items).get(nameOf(key))
  }

  /** In the order of the keys. Missing items are left out. */
  async getAll(keys: readonly Key[]): Promise<Item[]> {
    const found = await this.#readAll(keys)
    return keys.map((key) => found.get(nameOf(key))).filter((item) => item !== undefined)
  }

  async #readGathered(keys: readonly Key[]): Promise<Map<string, Item>> {
    this.#gathering = undefined
    const [key] = keys
    if (!key || keys.length > 1) return this.#readAll(keys)
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#table, Key: toAttributes(key), ConsistentRead: true }),
    )
    return new Map(Item ? [[nameOf(key), Item]] : [])
  }

  /** Every existing item, by the text of its key. */
  async #readAll(all: readonly Key[]): Promise<Map<string, Item>> {
    const found = new Map<string, Item>()
    const keys = [...new Map(all.map((key) => [nameOf(key), key])).values()]
    for (let from = 0; from < keys.length; from += KEYS_MAX) {
      for (const item of await this.#readBatch(keys.slice(from, from + KEYS_MAX))) {
        found.set(nameOf({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' }), item)
      }
    }
    return found
  }

  async #readBatch(keys: readonly Key[]): Promise<Item[]> {
    const items: Item[] = []
    let pending: Item[] = keys.map(({ pk, sk }) => toAttributes({ pk, sk }))
    for (let attempt = 0; pending.length > 0; attempt += 1) {
      if (attempt > 0) await this.#backOff(attempt)
      const answer = await this.#client.send(
        new BatchGetItemCommand({ RequestItems: { [this.#table]: { Keys: pending, ConsistentRead: true } } }),
      )
      items.push(...(answer.Responses?.[this.#table] ?? []))
      pending = answer.UnprocessedKeys?.[this.#table]?.Keys ?? []
      if (pending.length > 0 && attempt >= RETRIES) throw throttled()
    }
    return items
  }
}

/**
 * The same items, where an insert met an item that the service did not write: that one counts as none, so the insert takes its place.
 * Undefined where it met none.
 */
export async function inPlaceOfForged(
  { CancellationReasons = [] }: TransactionCanceledException,
  writes: readonly Write[],
  items: readonly Write['item'][],
): Promise<Write['item'][] | undefined> {
  const forged = await Promise.all(
    writes.map(async ({ isForged }, index) => {
      const stands = CancellationReasons[index]?.Item
      return isForged && stands && (await isForged(stands)) ? stands : undefined
    }),
  )
  if (forged.every((stands) => !stands)) return undefined
  return items.map((item, index) => {
    const stands = forged[index]
    return stands && item.Put ? { Put: { ...item.Put, ...stillStands(stands) } } : item
  })
}

/** The condition that nobody has put another item there meanwhile. */
const stillStands = ({ [MAC]: mac }: Record<string, AttributeValue>) => ({
  ConditionExpression: mac ? '#mac = :mac' : 'attribute_not_exists(#mac)',
  ExpressionAttributeNames: { '#mac': MAC },
  ...(mac && { ExpressionAttributeValues: { ':mac': mac } }),
})

/** A range of sort keys in one partition. */
export type Range = {
  pk: string
  index?: IndexName
  /** Only sort keys after (or, descending, before) this one. */
  after?: string | undefined
  /** Only sort keys from this one on, inclusive. */
  from?: string | undefined
  /** Only sort keys up to this one, inclusive. */
  to?: string | undefined
  prefix?: string
  limit?: number
  descending?: boolean
  /** Default: true on the table, impossible on an index. */
  consistent?: boolean
}

/** The query of a range, without page and limit. */
export function queryOf(TableName: string, range: Range): QueryCommandInput {
  const { expression, values } = sortCondition(range)
  return {
    TableName,
    ...(range.index && { IndexName: range.index }),
    KeyConditionExpression: `#pk = :pk${expression}`,
    ExpressionAttributeNames: {
      '#pk': range.index ? `${range.index}pk` : 'pk',
      ...(expression && { '#sk': sortKeyOf(range) }),
    },
    ExpressionAttributeValues: toAttributes({ ':pk': range.pk, ...values }),
    ScanIndexForward: !range.descending,
    ConsistentRead: range.index ? false : (range.consistent ?? true),
  }
}

const sortKeyOf = ({ index }: Range): string => (index ? `${index}sk` : 'sk')

/** Reads a range up to its limit, in as many queries as that takes. `keys`: only the keys of the items. */
export async function readRange(client: DynamoDBClient, name: string, range: Range, select?: 'keys'): Promise<Item[]> {
  const sort = sortKeyOf(range)
  const items: Item[] = []
  let start: QueryCommandInput['ExclusiveStartKey']
  if (isEmpty(range)) return items
  do {
    const input = queryOf(name, range)
    // One more than requested, because the bound itself is read and dropped.
    if (range.limit) input.Limit = range.limit - items.length + (range.after === undefined ? 0 : 1)
    if (select && !range.index) input.ProjectionExpression = 'pk, sk'
    const answer = await client.send(new QueryCommand({ ...input, ExclusiveStartKey: start }))
    items.push(...(answer.Items ?? []).filter((item) => item[sort]?.S !== range.after))
    start = answer.LastEvaluatedKey
  } while (start && items.length < (range.limit ?? Number.POSITIVE_INFINITY))
  return items.slice(0, range.limit)
}

/** The inclusive bounds of a range. `after` is exclusive: the reader drops the item that equals it. */
function boundsOf({ after, from, to, prefix, descending }: Range): {
  low: string | undefined
  high: string | undefined
} {
  const least = from ?? prefix
  const most = to ?? (prefix === undefined ? undefined : `${prefix}\u{10FFFF}`)
  return { low: descending ? least : (after ?? least), high: descending ? (after ?? most) : most }
}

/** Whether the bounds are inverted. Such a range is empty; DynamoDB would reject it. */
export function isEmpty(range: Range): boolean {
  const { low, high } = boundsOf(range)
  return low !== undefined && high !== undefined && low > high
}

function sortCondition(range: Range): { expression: string; values: object } {
  const { low, high } = boundsOf(range)
  if (low !== undefined && high !== undefined) {
    return { expression: ' AND #sk BETWEEN :low AND :high', values: { ':low': low, ':high': high } }
  }
  if (low !== undefined) return { expression: ' AND #sk >= :low', values: { ':low': low } }
  if (high !== undefined) return { expression: ' AND #sk <= :high', values: { ':high': high } }
  return { expression: '', values: {} }
}
