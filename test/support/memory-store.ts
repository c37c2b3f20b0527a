// The items of one table in memory: by key and by the keys of its indexes, each partition in the order of DynamoDB.
import { TABLE } from '../../infra/topology.ts'
import type { Item } from './expressions.ts'

const INDEXES = TABLE.indexes.map(({ name }) => name)
const HALF_OF_PAIR = /[\ud800-\udfff]/

/** The order of their bytes in UTF-8. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  if (HALF_OF_PAIR.test(a) || HALF_OF_PAIR.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}

type Address = { pk: string; sk: string }

/** Tells an item from all others in its partition of the table or of an index; their order is that of these names. */
export const nameIn = (index: string | undefined, item: Item): string =>
  index ? `${item[`${index}sk`]?.S}\0${item.pk?.S}\0${item.sk?.S}` : (item.sk?.S ?? '')

export class MemoryStore {
  readonly #partitions = new Partitions()
  readonly #indexes = new Map(INDEXES.map((name) => [name as string, new Partitions()]))

  read({ pk, sk }: Address): Item | undefined {
    return this.#partitions.of(pk)?.get(sk)
  }

  /** Undefined deletes. */
  write(at: Address, next: Item | undefined): void {
    const was = this.read(at)
    this.#partitions.put(at.pk, at.sk, next)
    for (const [index, partitions] of this.#indexes) {
      if (was) partitions.putAs(index, was, undefined)
      if (next) partitions.putAs(index, next, next)
    }
  }

  /** In the order of the sort keys. */
  partition(pk: string, index?: string): Item[] {
    return (index ? this.#indexes.get(index) : this.#partitions)?.of(pk)?.inOrder() ?? []
  }

  all(): Item[] {
    return this.#partitions.all()
  }
}

class Partitions {
  readonly #byKey = new Map<string, Partition>()

  of(pk: string): Partition | undefined {
    return this.#byKey.get(pk)
  }

  put(pk: string, name: string, item: Item | undefined): void {
    const partition = this.#byKey.get(pk) ?? new Partition()
    this.#byKey.set(pk, partition)
    partition.put(name, item)
  }

  /** Under the keys of an item in an index; nothing when it lacks one of them. */
  putAs(index: string, item: Item, value: Item | undefined): void {
    const pk = item[`${index}pk`]?.S
    if (pk !== undefined && item[`${index}sk`]?.S !== undefined) this.put(pk, nameIn(index, item), value)
  }

  all(): Item[] {
    return [...this.#byKey.values()].flatMap((partition) => partition.inOrder())
  }
}

class Partition {
  readonly #items = new Map<string, Item>()
  /** Undefined when it must be made again. */
  #ordered: Item[] | undefined = []

  get(name: string): Item | undefined {
    return this.#items.get(name)
  }

  put(name: string, item: Item | undefined): void {
    if (item) this.#items.set(name, item)
    else this.#items.delete(name)
    this.#ordered = undefined
  }

  inOrder(): Item[] {
    this.#ordered ??= [...this.#items].toSorted(([a], [b]) => compareText(a, b)).map(([, item]) => item)
    return this.#ordered
  }
}
