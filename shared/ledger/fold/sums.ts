// Additions to stored sums, gathered over many commits and written in one transaction.
import { env } from '../../base/lib/env.ts'
import { type Key, toAttributes, type Write } from '../../base/table/entity.ts'

/** An item of sums. `ttl`: Unix second from which it may be deleted. */
export type SumItem = Key & { type: string; ttl?: number | undefined }

export class Sums {
  readonly #items = new Map<string, { item: SumItem; add: Map<string, number> }>()

  add(item: SumItem, name: string, by: number): void {
    if (by === 0) return
    const id = `${item.pk}\n${item.sk}`
    const known = this.#items.get(id) ?? { item, add: new Map<string, number>() }
    known.add.set(name, (known.add.get(name) ?? 0) + by)
    this.#items.set(id, known)
  }

  get size(): number {
    return this.#items.size
  }

  items(): { item: SumItem; added: [name: string, by: number][] }[] {
    return [...this.#items.values()].map(({ item, add }) => ({ item, added: [...add] }))
  }

  writes(): Write[] {
    return this.items().map(({ item, added }) => addition(item, added))
  }
}

/** Names of series hold dots, so each goes through a numbered placeholder. */
function addition({ pk, sk, type, ttl }: SumItem, add: readonly (readonly [name: string, by: number])[]): Write {
  const additions = add.map((_, index) => `#n${index} :n${index}`).join(', ')
  const sets = Object.entries({ type, ttl }).filter(([, value]) => value !== undefined)
  return {
    item: {
      Update: {
        TableName: env('TABLE_NAME'),
        Key: toAttributes({ pk, sk }),
        UpdateExpression: `ADD ${additions} SET ${sets.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        ExpressionAttributeNames: {
          ...Object.fromEntries(add.map(([name], index) => [`#n${index}`, name])),
          ...Object.fromEntries(sets.map(([name]) => [`#${name}`, `_${name}`])),
        },
        ExpressionAttributeValues: toAttributes({
          ...Object.fromEntries(add.map(([, by], index) => [`:n${index}`, by])),
          ...Object.fromEntries(sets.map(([name, value]) => [`:${name}`, value])),
        }),
      },
    },
  }
}
