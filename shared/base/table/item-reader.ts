// Reads items by their keys, always consistently. Reads that start in the same tick become one call.
import { type AttributeValue, BatchGetItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { type Key, nameOf, toAttributes } from './entity.ts'

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
