// A faithful DynamoDB in memory, behind the real SDK client: conditions, transactions with cancellation reasons, request
// tokens, pages, sparse indexes, a stream; only the network is gone. One long file, because it is one machine.
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  type TransactWriteItem,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { holds, type Item, projected, type Substitutes, updated } from './expressions.ts'
import { intercept } from './intercept.ts'
import { checkExpressions } from './strict-expressions.ts'

const PAGE_BYTES = 1_048_576
const ITEM_BYTES = 409_600
const TOKEN_MS = 600_000

/** One change of an item, as the table's stream reports it. */
export type StreamRecord = {
  table: string
  sequence: number
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE'
  keys: Item
  oldImage?: Item
  newImage?: Item
}

export type Call = { name: string; input: object }

/** Faults. Both may wait or throw: `before` as if the request was never sent, `after` as if its answer was lost. */
export type Hooks = { before?: (call: Call) => unknown; after?: (call: Call) => unknown }

type Change = { table: string; key: Item; next: Item | undefined }
// Inputs come from the SDK's typed commands; one loose type for all of them keeps the double short.
type Input = Substitutes & {
  TableName: string
  Key: Item
  Item: Item
  ConditionExpression?: string
  UpdateExpression: string
  KeyConditionExpression: string
  FilterExpression?: string
  ProjectionExpression?: string
  ReturnValues?: string
  ReturnValuesOnConditionCheckFailure?: string
  IndexName?: string
  ConsistentRead?: boolean
  ScanIndexForward?: boolean
  Select?: string
  Limit?: number
  ExclusiveStartKey?: Item
  TransactItems: TransactWriteItem[]
  ClientRequestToken?: string
  RequestItems: Record<string, never>
}

const metadata = { $metadata: {} }

export class MemoryTable {
  /** Items by table, `pk` and `sk`. */
  readonly #tables = new Map<string, Map<string, Map<string, Item>>>()
  readonly stream: StreamRecord[] = []
  /** Commands received, by name. */
  readonly calls: Record<string, number> = {}
  hooks: Hooks = {}
  readonly #tokens = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = () => 0) {
    this.#now = now
  }

  /** A real client whose requests end here. */
  client(): DynamoDBClient {
    const client = new DynamoDBClient({ region: 'memory', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } })
    intercept(client, (call) => this.send(call))
    return client
  }

  async send(call: Call): Promise<object> {
    this.calls[call.name] = (this.calls[call.name] ?? 0) + 1
    checkExpressions(call)
    await this.hooks.before?.(call)
    const output = this.#run(call.name, call.input as Input) // the one place where the loose type begins
    await this.hooks.after?.(call)
    return structuredClone(output)
  }

  /** All items of a table, for assertions. */
  items(table: string): Item[] {
    return [...this.#table(table).values()].flatMap((partition) => [...partition.values()])
  }

  item(table: string, key: { pk: string; sk: string }): Item | undefined {
    return this.#read(table, { pk: { S: key.pk }, sk: { S: key.sk } })
  }

  /** Writes behind the service's back: no condition, no stream record. Undefined deletes. */
  tamper(table: string, key: { pk: string; sk: string }, change: (item: Item) => Item | undefined): void {
    const at = { pk: { S: key.pk }, sk: { S: key.sk } }
    this.#write(table, at, change(structuredClone(this.#read(table, at) ?? at)))
  }

  #run(name: string, input: Input): object {
    switch (name) {
      case 'GetItem':
        return { Item: this.#read(input.TableName, input.Key) }
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return this.#writeOne(name, input)
      case 'Query':
        return this.#query(input)
      case 'BatchGetItem':
        return this.#batchGet(input.RequestItems)
      case 'BatchWriteItem':
        return this.#batchWrite(input.RequestItems)
      case 'TransactWriteItems':
        return this.#transact(input)
      default:
        throw new Error(`the in-memory table does not know ${name}`)
    }
  }

  #writeOne(name: string, input: Input): object {
    const was = this.#at(input)
    if (!this.#allows(input, was)) {
      const Item = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? was : undefined
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        ...metadata,
        ...(Item && { Item }),
      })
    }
    const next = this.#next(name, input, was)
    this.#apply([{ table: input.TableName, key: keyOf(input.Key ?? input.Item), next }])
    if (input.ReturnValues === 'ALL_NEW') return { Attributes: next }
    return input.ReturnValues === 'ALL_OLD' ? { Attributes: was } : {}
  }

  #transact({ TransactItems, ClientRequestToken: token }: Input): object {
    if (token !== undefined && (this.#tokens.get(token) ?? -Infinity) > this.#now() - TOKEN_MS) return {}
    const parts = TransactItems.map((item) => {
      const [kind = '', input = {}] = Object.entries(item)[0] ?? []
      return { kind, input: input as Input } // a member of the transaction, told by its name
    })
    const addresses = parts.map(({ input }) => `${input.TableName}\n${nameOf(input.Key ?? input.Item)}`)
    if (new Set(addresses).size < addresses.length)
      throw validation('Transaction request cannot include multiple operations on one item')
    if (parts.length > 100) throw validation('Member must have length less than or equal to 100')
    const failed = parts.map(({ input }) => !this.#allows(input, this.#at(input)))
    if (failed.includes(true))
      throw this.#cancelled(
        parts.map(({ input }) => input),
        failed,
      )
    const changes = parts
      .filter(({ kind }) => kind !== 'ConditionCheck')
      .map(({ kind, input }) => ({
        table: input.TableName,
        key: keyOf(input.Key ?? input.Item),
        next: this.#next(`${kind}Item`, input, this.#at(input)),
      }))
    this.#apply(changes)
    if (token !== undefined) this.#tokens.set(token, this.#now())
    return {}
  }

  #cancelled(inputs: Input[], failed: boolean[]): Error {
    const CancellationReasons = inputs.map((input, index) => {
      if (!failed[index]) return { Code: 'None' }
      const was = this.#at(input)
      const show = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && was
      return { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...(show && { Item: show }) }
    })
    return new TransactionCanceledException({ message: 'Transaction cancelled', ...metadata, CancellationReasons })
  }

  #next(name: string, input: Input, was: Item | undefined): Item | undefined {
    if (name === 'DeleteItem') return undefined
    const next =
      name === 'PutItem' ? input.Item : updated(input.UpdateExpression, was ?? { ...keyOf(input.Key) }, input)
    if (bytesOf(next) > ITEM_BYTES) throw validation('Item size has exceeded the maximum allowed size')
    return next
  }

  #query(input: Input): object {
    const { IndexName: index, Limit = Infinity, ExclusiveStartKey: start, ScanIndexForward: forward = true } = input
    if (index && input.ConsistentRead)
      throw validation('Consistent reads are not supported on global secondary indexes')
    const sort = index ? `${index}sk` : 'sk'
    const order = (a: Item, b: Item) =>
      (compareText(a[sort]?.S, b[sort]?.S) || compareText(nameOf(a), nameOf(b))) * (forward ? 1 : -1)
    const matching = this.#partition(input)
      .filter((item) => !index || (item[`${index}pk`] && item[sort]))
      .filter((item) => holds(input.KeyConditionExpression, item, input))
      .toSorted(order)
      .filter((item) => !start || order(item, start) > 0)
    const page = cutPage(matching, Limit)
    // A page that is full says so, even when nothing follows.
    const last = page.length < matching.length || page.length >= Limit ? page.at(-1) : undefined
    const found = page.filter((item) => !input.FilterExpression || holds(input.FilterExpression, item, input))
    return {
      Count: found.length,
      ScannedCount: page.length,
      ...(last && { LastEvaluatedKey: pick(last, ['pk', 'sk', ...(index ? [`${index}pk`, sort] : [])]) }),
      ...(input.Select !== 'COUNT' && { Items: found.map((item) => this.#shown(item, input)) }),
    }
  }

  /** Indexes project keys only. */
  #shown(item: Item, input: Input): Item {
    const visible = input.IndexName ? pick(item, ['pk', 'sk', `${input.IndexName}pk`, `${input.IndexName}sk`]) : item
    return input.ProjectionExpression ? projected(input.ProjectionExpression, visible, input) : visible
  }

  #batchGet(requests: Record<string, { Keys: Item[] }>): object {
    const Responses: Record<string, Item[]> = {}
    for (const [table, { Keys }] of Object.entries(requests)) {
      if (Keys.length > 100) throw validation('Too many items requested for the BatchGetItem call')
      Responses[table] = Keys.map((key) => this.#read(table, key)).filter((item) => item !== undefined)
    }
    return { Responses, UnprocessedKeys: {} }
  }

  #batchWrite(requests: Record<string, { DeleteRequest?: { Key: Item }; PutRequest?: { Item: Item } }[]>): object {
    for (const [table, writes] of Object.entries(requests)) {
      if (writes.length > 25) throw validation('Too many items requested for the BatchWriteItem call')
      for (const { DeleteRequest, PutRequest } of writes) {
        const key = keyOf(DeleteRequest?.Key ?? PutRequest?.Item ?? {})
        this.#apply([{ table, key, next: PutRequest?.Item }])
      }
    }
    return { UnprocessedItems: {} }
  }

  #apply(changes: Change[]): void {
    for (const { table, key, next } of changes) {
      const was = this.#read(table, key)
      this.#write(table, key, next)
      if (was || next) this.#report(table, key, was, next)
    }
  }

  #report(table: string, keys: Item, oldImage: Item | undefined, newImage: Item | undefined): void {
    const eventName = oldImage ? (newImage ? 'MODIFY' : 'REMOVE') : 'INSERT'
    const images = { ...(oldImage && { oldImage }), ...(newImage && { newImage }) }
    this.stream.push({ table, sequence: this.stream.length, eventName, keys, ...images })
  }

  #at(input: Input): Item | undefined {
    return this.#read(input.TableName, input.Key ?? input.Item)
  }

  #allows(input: Input, was: Item | undefined): boolean {
    return input.ConditionExpression === undefined || holds(input.ConditionExpression, was, input)
  }

  #table(name: string): Map<string, Map<string, Item>> {
    const known = this.#tables.get(name) ?? new Map<string, Map<string, Item>>()
    this.#tables.set(name, known)
    return known
  }

  #read(table: string, key: Item): Item | undefined {
    const { pk, sk } = address(key)
    return this.#table(table).get(pk)?.get(sk)
  }

  #write(table: string, key: Item, next: Item | undefined): void {
    const { pk, sk } = address(key)
    const partition = this.#table(table).get(pk) ?? new Map<string, Item>()
    this.#table(table).set(pk, partition)
    if (next) partition.set(sk, next)
    else partition.delete(sk)
  }

  /** Where a key condition can find anything at all; on an index: everywhere. */
  #partition({ TableName, IndexName, KeyConditionExpression, ExpressionAttributeValues }: Input): Item[] {
    const value = /^\s*#?pk\s*=\s*(:\w+)/.exec(KeyConditionExpression)?.[1]
    const pk = value && ExpressionAttributeValues?.[value]?.S
    if (IndexName || pk === undefined) return this.items(TableName)
    return [...(this.#table(TableName).get(pk)?.values() ?? [])]
  }
}

const address = ({ pk, sk }: Item): { pk: string; sk: string } => {
  if (!pk?.S || !sk?.S) throw validation('One of the required keys was not given a value')
  return { pk: pk.S, sk: sk.S }
}
const nameOf = (item: Item): string => Object.values(address(item)).join('\n')

const pick = (item: Item, names: string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))
const keyOf = (item: Item): Item => pick(item, ['pk', 'sk'])

const compareText = (a = '', b = ''): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

function cutPage(items: Item[], limit: number): Item[] {
  let bytes = 0
  const end = items.findIndex((item, index) => index >= limit || (bytes += bytesOf(item)) > PAGE_BYTES)
  return end < 0 ? items : items.slice(0, Math.max(end, 1))
}

/** About what DynamoDB counts: names and values. */
export function bytesOf(item: Item): number {
  const size = (value: AttributeValue): number => {
    if (value.S !== undefined) return Buffer.byteLength(value.S)
    if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1
    if (value.B) return value.B.length
    if (value.L) return value.L.reduce((sum, member) => sum + size(member) + 1, 3)
    if (value.M) return bytesOf(value.M) + 3
    return 1
  }
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + size(value), 0)
}

function validation(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' })
}
