// A faithful DynamoDB in memory, behind the real SDK client: conditions, transactions with cancellation reasons, request
// tokens, pages, sparse indexes, a stream; only the network is gone. One long file, because it is one machine.
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type TransactWriteItem,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { copyOf } from './copy-of.ts'
import { changed, holds, type Item, projected, type Substitutes, updated } from './expressions.ts'
import { intercept } from './intercept.ts'
import { compareText, MemoryStore, nameIn } from './memory-store.ts'
import { addressOf, bytesOf, mustFitKey, sizeOf, validation } from './storable.ts'
import { checkExpressions } from './strict-expressions.ts'

const PAGE_BYTES = 1_048_576
const TRANSACTION_BYTES = 4_194_304
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

/**
 * Faults. Both may wait or throw: `before` as if the request was never sent, `after` as if its answer was lost. `instead` answers
 * for the table, where there are more items than memory could hold.
 */
export type Hooks = {
  before?: (call: Call) => unknown
  instead?: (call: Call) => object | undefined
  after?: (call: Call, answer: object) => unknown
}

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
  readonly #tables = new Map<string, MemoryStore>()
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
    const answered = this.hooks.instead?.(call)
    const output = answered ?? this.#run(call.name, call.input as Input) // the one place where the loose type begins
    await this.hooks.after?.(call, output)
    return copyOf(output)
  }

  /** All items of a table, for assertions. */
  items(table: string): Item[] {
    return this.#table(table).all()
  }

  item(table: string, key: { pk: string; sk: string }): Item | undefined {
    return this.#table(table).read(key)
  }

  /** Writes behind the service's back: no condition, no stream record. Undefined deletes. */
  tamper(table: string, key: { pk: string; sk: string }, change: (item: Item) => Item | undefined): void {
    const item = this.item(table, key) ?? { pk: { S: key.pk }, sk: { S: key.sk } }
    this.#table(table).write(key, change(copyOf(item)))
  }

  /** Forgets items and what the stream still reports of them. Positions in the stream stay as they are. */
  forget(isGone: (item: Item) => boolean): void {
    for (const store of this.#tables.values())
      for (const item of store.all().filter(isGone)) store.write(addressOf(item), undefined)
    for (const [at, { newImage, oldImage, sequence, keys }] of this.stream.entries())
      if (isGone(newImage ?? oldImage ?? keys)) this.stream[at] = forgotten(sequence)
  }

  #run(name: string, input: Input): object {
    for (const value of Object.values(input.ExpressionAttributeValues ?? {})) sizeOf(value)
    switch (name) {
      case 'GetItem':
        return { Item: this.#read(input.TableName, input.Key) }
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return this.#writeOne(name, input)
      case 'Query':
        return this.#query(input)
      case 'Scan':
        return this.#scan(input)
      case 'BatchGetItem':
        return this.#batchGet(input.RequestItems)
      case 'BatchWriteItem':
        return this.#batchWrite(input.RequestItems)
      case 'TransactWriteItems':
        return this.#transact(input)
      case 'DescribeContinuousBackups':
        // as the embedded server answers
        throw Object.assign(new Error(`unknown operation ${name}`), { name: 'UnknownOperationException' })
      default:
        throw new Error(`the in-memory table does not know ${name}`)
    }
  }

  #writeOne(name: string, input: Input): object {
    if (input.Item) bytesOf(input.Item)
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
    return this.#answer(input, was, next)
  }

  #answer(input: Input, was: Item | undefined, next: Item | undefined): object {
    switch (input.ReturnValues ?? 'NONE') {
      case 'NONE':
        return {}
      case 'ALL_NEW':
        return { Attributes: next }
      case 'ALL_OLD':
        return { Attributes: was }
      case 'UPDATED_NEW': {
        const Attributes = changed(input.UpdateExpression, next ?? {}, input)
        return Object.keys(Attributes).length > 0 ? { Attributes } : {}
      }
      default:
        throw new Error(`the in-memory table does not know ReturnValues ${input.ReturnValues}`)
    }
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
    for (const { input } of parts) if (input.Item) bytesOf(input.Item)
    const reasons = parts.map(({ kind, input }) => this.#reason(kind, input))
    if (reasons.some(({ Code }) => Code !== 'None'))
      throw new TransactionCanceledException({
        message: 'Transaction cancelled',
        ...metadata,
        CancellationReasons: reasons,
      })
    const changes = parts
      .filter(({ kind }) => kind !== 'ConditionCheck')
      .map(({ kind, input }) => ({
        table: input.TableName,
        key: keyOf(input.Key ?? input.Item),
        next: this.#next(`${kind}Item`, input, this.#at(input)),
      }))
    if (changes.reduce((sum, { next }) => sum + (next ? bytesOf(next) : 0), 0) > TRANSACTION_BYTES)
      throw validation('Member must have aggregate size less than or equal to 4 MB')
    this.#apply(changes)
    if (token !== undefined) this.#tokens.set(token, this.#now())
    return {}
  }

  /** Why a part of a transaction prevents it. */
  #reason(kind: string, input: Input): { Code: string; Message?: string; Item?: Item } {
    try {
      const was = this.#at(input)
      if (this.#allows(input, was)) {
        if (kind !== 'ConditionCheck') this.#next(`${kind}Item`, input, was)
        return { Code: 'None' }
      }
      const show = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && was
      return { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed', ...(show && { Item: show }) }
    } catch (error) {
      return { Code: 'ValidationError', Message: String(error) }
    }
  }

  #next(name: string, input: Input, was: Item | undefined): Item | undefined {
    if (name === 'DeleteItem') return undefined
    const next =
      name === 'PutItem' ? input.Item : updated(input.UpdateExpression, was ?? { ...keyOf(input.Key) }, input)
    bytesOf(next)
    return next
  }

  #query(input: Input): object {
    const { IndexName: index, Limit = Infinity, ExclusiveStartKey: start, ScanIndexForward: forward = true } = input
    if (index && input.ConsistentRead)
      throw validation('Consistent reads are not supported on global secondary indexes')
    const inOrder = this.#partition(input).filter((item) => holds(input.KeyConditionExpression, item, input))
    const [directed, direction] = forward ? [inOrder, 1] : [inOrder.toReversed(), -1]
    const matching = start
      ? directed.filter((item) => compareText(nameIn(index, item), nameIn(index, start)) * direction > 0)
      : directed
    const page = cutPage(matching, Limit, index)
    // A page that is full says so, even when nothing follows.
    const last = page.length < matching.length || page.length >= Limit ? page.at(-1) : undefined
    const found = page.filter((item) => !input.FilterExpression || holds(input.FilterExpression, item, input))
    return {
      Count: found.length,
      ScannedCount: page.length,
      ...(last && { LastEvaluatedKey: keyOf(last, index) }),
      ...(input.Select !== 'COUNT' && { Items: found.map((item) => this.#shown(item, input)) }),
    }
  }

  /** In no order that means anything, as in DynamoDB, but in the same for each page. */
  #scan(input: Input): object {
    const all = this.items(input.TableName)
    const from = input.ExclusiveStartKey ? nameOf(input.ExclusiveStartKey) : undefined
    const rest = from === undefined ? all : all.slice(all.findIndex((item) => nameOf(item) === from) + 1)
    const page = cutPage(rest, input.Limit ?? Infinity)
    const last = page.length < rest.length ? page.at(-1) : undefined
    const found = page.filter((item) => !input.FilterExpression || holds(input.FilterExpression, item, input))
    return {
      Count: found.length,
      ScannedCount: page.length,
      Items: found.map((item) => this.#shown(item, input)),
      ...(last && { LastEvaluatedKey: keyOf(last) }),
    }
  }

  /** Indexes project keys only. */
  #shown(item: Item, input: Input): Item {
    const visible = input.IndexName ? keyOf(item, input.IndexName) : item
    return input.ProjectionExpression ? projected(input.ProjectionExpression, visible, input) : visible
  }

  #batchGet(requests: Record<string, { Keys: Item[] }>): object {
    const Responses: Record<string, Item[]> = {}
    for (const [table, { Keys }] of Object.entries(requests)) {
      if (Keys.length > 100) throw validation('Too many items requested for the BatchGetItem call')
      if (new Set(Keys.map(nameOf)).size < Keys.length)
        throw validation('Provided list of item keys contains duplicates')
      Responses[table] = Keys.map((key) => this.#read(table, key)).filter((item) => item !== undefined)
    }
    return { Responses, UnprocessedKeys: {} }
  }

  #batchWrite(requests: Record<string, { DeleteRequest?: { Key: Item }; PutRequest?: { Item: Item } }[]>): object {
    for (const [table, writes] of Object.entries(requests)) {
      if (writes.length > 25) throw validation('Too many items requested for the BatchWriteItem call')
      for (const { DeleteRequest, PutRequest } of writes) {
        if (PutRequest) bytesOf(PutRequest.Item)
        const key = keyOf(DeleteRequest?.Key ?? PutRequest?.Item ?? {})
        this.#apply([{ table, key, next: PutRequest?.Item }])
      }
    }
    return { UnprocessedItems: {} }
  }

  #apply(changes: Change[]): void {
    for (const { table, key, next } of changes) {
      const was = this.#read(table, key)
      this.#table(table).write(addressOf(key), next)
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

  #table(name: string): MemoryStore {
    const known = this.#tables.get(name) ?? new MemoryStore()
    this.#tables.set(name, known)
    return known
  }

  #read(table: string, key: Item): Item | undefined {
    mustFitKey(key)
    return this.#table(table).read(addressOf(key))
  }

  /** Where a key condition can find anything at all. */
  #partition({ TableName, IndexName, KeyConditionExpression, ExpressionAttributeValues }: Input): Item[] {
    const value = /^\s*#?\w+\s*=\s*(:\w+)/.exec(KeyConditionExpression)?.[1]
    const pk = value && ExpressionAttributeValues?.[value]?.S
    if (pk === undefined) throw validation('Query condition missed key schema element')
    return this.#table(TableName).partition(pk, IndexName)
  }
}

/** Keeps its place in the stream and is a record of no table. */
const forgotten = (sequence: number): StreamRecord => ({ table: '', sequence, eventName: 'REMOVE', keys: {} })

const nameOf = (item: Item): string => Object.values(addressOf(item)).join('\n')

/** Also its keys in an index, of which indexes hold nothing else. */
function keyOf(item: Item, index?: string): Item {
  const names = index ? ['pk', 'sk', `${index}pk`, `${index}sk`] : ['pk', 'sk']
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))
}

function cutPage(items: Item[], limit: number, index?: string): Item[] {
  let bytes = 0
  const end = items.findIndex(
    (item, at) => at >= limit || (bytes += bytesOf(index ? keyOf(item, index) : item)) > PAGE_BYTES,
  )
  return end < 0 ? items : items.slice(0, Math.max(end, 1))
}
