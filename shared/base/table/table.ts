// Reads and commits on the single table. A commit is one transaction: all of its writes happen or none.
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type AttributeValue,
} from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { ArtifactType } from '../catalog/artifact-types.ts'
import type { Clock } from '../lib/clock.ts'
import type { RandomBytes } from '../lib/ids.ts'
import type { ItemBinding } from './bound.ts'
import { type Following, type Key, toAttributes, type Update, updateExpression, type Write } from './entity.ts'
import { inPlaceOfForged, isEmpty, ItemReader, queryOf, type Range, readRange, RETRIES } from './item-reader.ts'

/** A condition of a commit failed, by a concurrent change or because of the item's state. `item` is the stored one. */
export class ConditionFailed extends Error {
  readonly index: number
  readonly item: Record<string, unknown> | undefined

  constructor(index: number, item: Record<string, unknown> | undefined) {
    super(`condition ${index} of the transaction failed`)
    this.name = 'ConditionFailed'
    this.index = index
    this.item = item
  }
}

type Attributes = Record<string, AttributeValue>

/**
 * Nothing but contended writes kept a commit from happening. `failed`: their conditions failed, with the present items;
 * `collided`: others wrote them at the same time.
 */
export class Contended extends Error {
  readonly failed: readonly { key: Key; item: Attributes }[]
  readonly collided: readonly Key[]

  constructor(failed: Contended['failed'], collided: Contended['collided']) {
    super(`${failed.length} contended conditions failed, ${collided.length} writes collided`)
    this.name = 'Contended'
    this.failed = failed
    this.collided = collided
  }
}

/** The part of an entity that reading needs. */
export type Readable<T, K> = {
  key: (of: K) => Key
  decode: (attributes: Record<string, AttributeValue>) => T
  /** Only of bound entities: a row that did not come from the service is read as if there were none. */
  binding?: ItemBinding
}

const MAX_TRANSACTION_ITEMS = 100

export class Table {
  readonly client: DynamoDBClient
  readonly name: string
  readonly clock: Clock
  readonly random: RandomBytes
  /** Types of the artifacts committed through this table. */
  readonly committed: ArtifactType[] = []
  /** Further writes of the commit that carries out the request: the idempotency item. */
  joining: ((ref: string) => Write[]) | undefined
  readonly #items: ItemReader

  constructor(client: DynamoDBClient, name: string, clock: Clock, random: RandomBytes) {
    this.client = client
    this.name = name
    this.clock = clock
    this.random = random
    this.#items = new ItemReader(client, name, (attempt) => this.#backOff(attempt))
  }

  /** Consistent. Reads that start in the same tick become one BatchGetItem, because a call costs more than an item. */
  async get<T, K>(of: Readable<T, K>, id: NoInfer<K>): Promise<T | undefined> {
    const [item] = await Promise.all([this.#items.get(of.key(id)), of.binding?.ready()])
    return item && (await decoded(of, [item]))[0]
  }

  /** In the order of the ids. Missing items are left out. */
  async getAll<T, K>(of: Readable<T, K>, ids: readonly NoInfer<K>[]): Promise<T[]> {
    return this.#batch(
      of,
      ids.map((id) => of.key(id)),
    )
  }

  /** One page of a range. For an index, the items are then read consistently from the table. */
  async query<T, K>(of: Readable<T, K>, range: Range): Promise<T[]> {
    const items = await readRange(this.client, this.name, range)
    if (!range.index) return decoded(of, items)
    return this.#batch(
      of,
      items.map((item) => unmarshall({ pk: item.pk ?? { S: '' }, sk: item.sk ?? { S: '' } }) as Key),
    )
  }

  /** One page of keys: the sort key of the range and the item's own key. */
  async keys(range: Range): Promise<(Key & { sort: string })[]> {
    const items = await readRange(this.client, this.name, range, 'keys')
    return items.map((item) => {
      const { pk, sk, ...rest } = unmarshall(item) as Key & Record<string, string>
      return { pk, sk, sort: range.index ? (rest[`${range.index}sk`] ?? sk) : sk }
    })
  }

  async read<T, K>(of: Readable<T, K>, keys: readonly Key[]): Promise<T[]> {
    return this.#batch(of, keys)
  }

  /** Counts a range, reading at most `pages` pages of 1 MB. */
  async count(range: Range, pages = 10): Promise<{ total: number; complete: boolean }> {
    let total = 0
    let start: QueryCommandInput['ExclusiveStartKey']
    if (isEmpty(range)) return { total, complete: true }
    for (let page = 0; page < pages; page += 1) {
      const answer = await this.client.send(
        new QueryCommand({ ...queryOf(this.name, range), Select: 'COUNT', ExclusiveStartKey: start }),
      )
      total += answer.Count ?? 0
      start = answer.LastEvaluatedKey
      if (!start) return { total, complete: true }
    }
    return { total, complete: false }
  }

  /**
   * One transaction. A failed condition throws that write's `otherwise`, or `ConditionFailed` with the index of the write.
   * Colliding transactions are retried with full jitter, since the SDK does not retry them. `ref` names the resource from
   * which a repeated request gets its answer; the commit that carries out the request passes it.
   */
  async commit(writes: readonly (Write | Following)[], ref?: string): Promise<void> {
    const given = [...writes, ...(ref === undefined ? [] : (this.joining?.(ref) ?? []))]
    const own = given.filter((write) => 'item' in write)
    const following = given.filter((write) => 'following' in write)
    let ownItems = await Promise.all(own.map(completed))
    for (let attempt = 0; ; attempt += 1) {
      const followed = await followers(following)
      const all = [...own, ...followed]
      if (all.length > MAX_TRANSACTION_ITEMS) throw new Error(`a transaction of ${all.length} items`)
      const TransactItems = [...ownItems, ...(await Promise.all(followed.map(completed)))]
      try {
        await this.client.send(new TransactWriteItemsCommand({ TransactItems }))
        if (ref !== undefined) this.joining = undefined
        for (const { artifact, done } of all) {
          if (artifact) this.committed.push(artifact)
          done?.()
        }
        return
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error
        const inPlace = attempt < RETRIES && (await inPlaceOfForged(error, own, ownItems))
        if (inPlace) {
          ownItems = inPlace
          continue
        }
        const failed = failedCondition(error, own)
        if (failed) throw failed
        const contended = contention(error, own)
        if (contended) throw contended
        if (attempt >= RETRIES) throw error
        await this.#backOff(attempt)
      }
    }
  }

  /** A single UpdateItem outside any transaction: for counters, where counting twice does no harm. */
  async update(of: Key, change: Update): Promise<void> {
    await this.client.send(
      new UpdateItemCommand({ TableName: this.name, Key: toAttributes(of), ...updateExpression(change) }),
    )
  }

  /** A contended update as a single UpdateItem: others wait for it where a transaction would collide. Fails like a commit. */
  async writeOne({ item: { Update }, done }: Write): Promise<void> {
    if (!Update) throw new Error('only an update can be written alone')
    const { Key, TableName, UpdateExpression } = Update
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.client.send(new UpdateItemCommand({ ...Update, Key, TableName, UpdateExpression }))
        done?.()
        return
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException)
          throw new Contended([{ key: keyIn(Key), item: error.Item ?? {} }], [])
        if (!(error instanceof TransactionConflictException)) throw error
        if (attempt >= RETRIES) throw new Contended([], [keyIn(Key)])
        await this.#backOff(attempt)
      }
    }
  }

  /** Full jitter, at most 400 ms. */
  async #backOff(attempt: number): Promise<void> {
    const share = (this.random(1)[0] ?? 0) / 256
    await this.clock.sleep(share * Math.min(400, 10 * 2 ** attempt))
  }

  async #batch<T, K>(of: Readable<T, K>, keys: readonly Key[]): Promise<T[]> {
    return decoded(of, await this.#items.getAll(keys))
  }
}

async function decoded<T, K>({ decode, binding }: Readable<T, K>, items: readonly Attributes[]): Promise<T[]> {
  const holds = binding && (await Promise.all(items.map(binding.holds)))
  return items.filter((_, index) => holds?.[index] ?? true).map(decode)
}

async function completed({ item, members }: Write): Promise<Write['item']> {
  if (!item.Put || !members) return item
  return { Put: { ...item.Put, Item: { ...item.Put.Item, ...toAttributes(await members()) } } }
}

const followers = async (all: readonly Following[]): Promise<Write[]> =>
  (await Promise.all(all.map(({ following }) => following()))).flat()

const keyIn = (attributes: Attributes | undefined): Key => unmarshall(attributes ?? {}) as Key

/** The failed conditions and the collisions of contended writes in a cancelled transaction. */
function contention({ CancellationReasons = [] }: TransactionCanceledException, writes: readonly Write[]) {
  const met = CancellationReasons.flatMap(({ Code, Item }, index) => {
    const { item, contended } = writes[index] ?? {}
    return contended ? [{ Code, item: Item ?? {}, key: keyIn(item?.Update?.Key) }] : []
  })
  const failed = met.filter(({ Code }) => Code === 'ConditionalCheckFailed')
  const collided = met.filter(({ Code }) => Code === 'TransactionConflict').map(({ key }) => key)
  return failed.length + collided.length > 0 ? new Contended(failed, collided) : undefined
}

/** Of the given writes, which are the first of the transaction. Contended ones are left to `contention`. */
function failedCondition(error: TransactionCanceledException, writes: readonly Write[]): Error | undefined {
  const failed = (error.CancellationReasons ?? [])
    .map((reason, index) => ({ reason, index }))
    .filter(({ reason, index }) => reason.Code === 'ConditionalCheckFailed' && index < writes.length)
    .filter(({ index }) => !writes[index]?.contended)
  const first = failed.find(({ index }) => writes[index]?.otherwise) ?? failed[0]
  if (!first) return undefined
  const item = first.reason.Item && unmarshall(first.reason.Item)
  return writes[first.index]?.otherwise ?? new ConditionFailed(first.index, item)
}
