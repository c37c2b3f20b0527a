// Reads whole ranges.
import type { Range } from './item-reader.ts'
import type { Readable, Table } from './table.ts'

/** A whole range. Throws when it holds more than `most` items, because a part of it would pass for all. */
export async function wholeRange<T, K>(table: Table, of: Readable<T, K>, range: Range, most: number): Promise<T[]> {
  const items = await table.query(of, { ...range, limit: most + 1 })
  if (items.length > most) throw new Error(`${range.pk} holds more than ${most} items`)
  return items
}
