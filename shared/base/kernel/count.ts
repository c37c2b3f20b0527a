// The one way to count in the same write as the event that is counted. There are two ways to count:
//
// - A sum that must not lag is counted here: a limit that the next request meets, stored bytes, the number of things of a kind. The
//   addition is a part of the transaction, or a single update where nothing else is committed, and its condition may refuse it.
// - A sum that may lag by a minute is counted by a folder of `ledger/fold` from the log of events: metrics, meters, hits. It costs the
//   request nothing, and each commit counts once, however often it is read. Choose it unless a decision of the service needs the sum at
//   once.
//
//   await table.commit([...writes, additionWrite({ at: counters.key(of), add: [['total', 1]], condition: below('total', max) })])
//
// Writes that add to one item at the same moment collide in transactions. Spread a sum that is written often over several items, and add
// them up where they are read.
import { type AttributeValue, UpdateItemCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb'
import { env } from '../lib/runtime.ts'
import { type Condition, type Key, toAttributes, type Write } from '../table/entity.ts'
import type { Table } from '../table/table.ts'

/**
 * Numbers to add to an item, which begins with this addition if there is none. `condition` names attributes by placeholders of its own,
 * which are not two small letters.
 */
export type Addition = {
  at: Key
  add: readonly (readonly [name: string, by: number | bigint])[]
  /** Written with every addition. */
  set?: Readonly<Record<string, unknown>> | undefined
  /** Written by the addition that finds none of the name. */
  first?: Readonly<Record<string, unknown>> | undefined
  /** By name: the attribute whose sum before this addition is kept under the name, unless there is one already. */
  before?: Readonly<Record<string, string>> | undefined
  /** Where a sum begins that is not there yet; else with 0. */
  from?: Readonly<Record<string, number>> | undefined
  remove?: readonly string[] | undefined
  condition?: Condition | undefined
}

type Update = Pick<
  UpdateItemCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
> & { Key: UpdateItemCommandInput['Key']; TableName: string; UpdateExpression: string }

/** Fails only where its condition does. */
export const additionWrite = (addition: Addition): Write => ({
  item: { Update: { ...updateOf(env('TABLE_NAME'), addition), ...whenRefused(addition) } },
})

/**
 * Adds alone, outside any transaction. Answers with the attributes that it wrote; throws `ConditionalCheckFailedException` where its
 * condition fails.
 */
export async function addNow(table: Table, addition: Addition): Promise<Record<string, AttributeValue>> {
  const { Attributes } = await table.client.send(
    new UpdateItemCommand({ ...updateOf(table.name, addition), ...whenRefused(addition), ReturnValues: 'UPDATED_NEW' }),
  )
  return Attributes ?? {}
}

/** For the condition of an addition that counts up to a limit. */
export const below = (name: string, max: number): Condition => ({
  expression: `attribute_not_exists(#${name}) OR #${name} < :max`,
  names: { [`#${name}`]: name },
  values: { ':max': max },
})

/** An item of sums. `ttl`: Unix second from which it may be deleted; `about`: members that say what its sums count. */
export type SumItem = Key & { type: string; ttl?: number | undefined; about?: Readonly<Record<string, string>> }

/** Additions to many items, gathered and then written in one transaction. */
export class Sums {
  readonly #items = new Map<string, { item: SumItem; add: Map<string, number> }>()
  #widest = 0

  add(item: SumItem, name: string, by: number): void {
    if (by === 0) return
    const id = `${item.pk}\n${item.sk}`
    const known = this.#items.get(id) ?? { item, add: new Map<string, number>() }
    known.add.set(name, (known.add.get(name) ?? 0) + by)
    this.#items.set(id, known)
    this.#widest = Math.max(this.#widest, known.add.size)
  }

  get size(): number {
    return this.#items.size
  }

  /** How many names are added to one item at most. */
  get widest(): number {
    return this.#widest
  }

  items(): { item: SumItem; added: [name: string, by: number][] }[] {
    return [...this.#items.values()].map(({ item, add }) => ({ item, added: [...add] }))
  }

  writes(): Write[] {
    return this.items().map(({ item: { pk, sk, type, ttl, about }, added }) =>
      additionWrite({ at: { pk, sk }, add: added, set: { _type: type, _ttl: ttl, ...about } }),
    )
  }
}

/** Stores an item of sums in the place of the item that was there. */
export const sumsAre = ({ pk, sk, type, ttl }: SumItem, sums: Readonly<Record<string, number>>): Write => ({
  item: { Put: { TableName: env('TABLE_NAME'), Item: toAttributes({ ...sums, pk, sk, _type: type, _ttl: ttl }) } },
})

/** A refused addition reports the item that it met, because the next decision needs it. */
const whenRefused = ({ condition }: Addition) =>
  condition ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const } : {}

/** Names of sums hold dots, so each goes through a placeholder, a short one: an expression has room for 4 KB. */
function updateOf(TableName: string, addition: Addition): Update {
  const { at, add, from = {}, set = {}, first = {}, before = {}, remove = [], condition } = addition
  const names = new Map<string, string>()
  const nameOf = (name: string) => names.get(name) ?? names.set(name, `#${letters(names.size)}`).get(name)
  const values: Record<string, unknown> = {}
  const valueOf = (value: unknown) => {
    const placeholder = `:${letters(Object.keys(values).length)}`
    values[placeholder] = value
    return placeholder
  }
  const began = (name: string, otherwise: string) => `if_not_exists(${nameOf(name)}, ${otherwise})`
  const adds = add.filter(([name]) => from[name] === undefined).map(([name, by]) => `${nameOf(name)} ${valueOf(by)}`)
  const sets = [
    ...add.flatMap(([name, by]) => {
      const start = from[name]
      return start === undefined ? [] : [`${nameOf(name)} = ${began(name, valueOf(start))} + ${valueOf(by)}`]
    }),
    ...present(set).map(([name, value]) => `${nameOf(name)} = ${valueOf(value)}`),
    ...present(first).map(([name, value]) => `${nameOf(name)} = ${began(name, valueOf(value))}`),
    ...Object.entries(before).map(([name, of]) => `${nameOf(name)} = ${began(name, began(of, valueOf(0)))}`),
  ]
  const removes = remove.map(nameOf)
  const clauses = { ADD: adds, SET: sets, REMOVE: removes }
  return {
    TableName,
    Key: toAttributes({ ...at }),
    UpdateExpression: Object.entries(clauses)
      .flatMap(([clause, parts]) => (parts.length > 0 ? [`${clause} ${parts.join(',')}`] : []))
      .join(' '),
    ...(condition && { ConditionExpression: condition.expression }),
    ExpressionAttributeNames: {
      ...Object.fromEntries([...names].map(([name, placeholder]) => [placeholder, name])),
      ...condition?.names,
    },
    ExpressionAttributeValues: toAttributes({ ...values, ...condition?.values }),
  }
}

const present = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).filter(([, value]) => value !== undefined)

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Two of them. */
const letters = (index: number): string =>
  `${LETTERS[Math.floor(index / LETTERS.length)]}${LETTERS[index % LETTERS.length]}`
