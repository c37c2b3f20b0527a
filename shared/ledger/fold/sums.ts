// Additions to stored sums, gathered over many commits and written in one transaction.
import { env } from '../../base/lib/env.ts'
import { type Key, toAttributes, type Write } from '../../base/table/entity.ts'

/** An item of sums. `ttl`: Unix second from which it may be deleted; `about`: what its sums are of. */
export type SumItem = Key & { type: string; ttl?: number | undefined; about?: Readonly<Record<string, string>> }

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
    return this.items().map(({ item, added }) => addition(item, added))
  }
}

/** Names of series hold dots, so each goes through a placeholder, a short one: an expression has room for 4 KB. */
function addition({ pk, sk, type, ttl, about }: SumItem, add: readonly (readonly [name: string, by: number])[]): Write {
  const additions = add.map((_, index) => `#${letters(index)} :${letters(index)}`).join(',')
  const sets = Object.entries({ _type: type, _ttl: ttl, ...about }).filter(([, value]) => value !== undefined)
  return {
    item: {
      Update: {
        TableName: env('TABLE_NAME'),
        Key: toAttributes({ pk, sk }),
        UpdateExpression: `ADD ${additions} SET ${sets.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: {
          ...Object.fromEntries(add.map(([name], index) => [`#${letters(index)}`, name])),
          ...Object.fromEntries(sets.map(([name]) => [`#${name}`, name])),
        },
        ExpressionAttributeValues: toAttributes({
          ...Object.fromEntries(add.map(([, by], index) => [`:${letters(index)}`, by])),
          ...Object.fromEntries(sets.map(([name, value]) => [`:${name}`, value])),
        }),
      },
    },
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Two of them. */
const letters = (index: number): string =>
  `${LETTERS[Math.floor(index / LETTERS.length)]}${LETTERS[index % LETTERS.length]}`

/** Stores an item of sums in the place of what was there. */
export const sumsAre = ({ pk, sk, type, ttl }: SumItem, sums: Readonly<Record<string, number>>): Write => ({
  item: { Put: { TableName: env('TABLE_NAME'), Item: toAttributes({ ...sums, pk, sk, _type: type, _ttl: ttl }) } },
})
