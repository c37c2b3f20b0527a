// A range of sort keys in one partition, and its key condition.
import type { IndexName } from './entity.ts'

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

export function sortCondition(range: Range): { expression: string; values: object } {
  const { low, high } = boundsOf(range)
  if (low !== undefined && high !== undefined) {
    return { expression: ' AND #sk BETWEEN :low AND :high', values: { ':low': low, ':high': high } }
  }
  if (low !== undefined) return { expression: ' AND #sk >= :low', values: { ':low': low } }
  if (high !== undefined) return { expression: ' AND #sk <= :high', values: { ':high': high } }
  return { expression: '', values: {} }
}
