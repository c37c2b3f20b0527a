// Both pagination envelopes over a short list that is known as a whole.
import type { Context } from '../context.ts'
import { type Position, readCursor, writeCursor } from '../table/cursor.ts'
import { LIMIT_DEFAULT, type ListQuery, mustBeOffset } from './pagination.ts'

/** `nameOf` gives what tells the items apart: a cursor remembers the last one shown. */
export async function pageOf<T extends object>(
  ctx: Context,
  operation: string,
  query: ListQuery & Record<string, unknown>,
  items: readonly T[],
  nameOf: (item: T) => string,
) {
  const { limit = LIMIT_DEFAULT, cursor, offset, ...filters } = query
  if (cursor === undefined && offset !== undefined) {
    mustBeOffset(offset)
    return { items: items.slice(offset, offset + limit), total: items.length, limit, offset }
  }
  const scope = { space: ctx.space, operation, filters }
  const shown = cursor === undefined ? undefined : await readCursor(scope, cursor)
  const total = shown?.total ?? items.length
  const start = shown ? placeAfter(shown, items.map(nameOf)) : 0
  const end = Math.min(start + limit, items.length)
  const last = end < items.length ? items[end - 1] : undefined
  const at = last && { group: String(end - 1), sort: nameOf(last), total, bounded: false }
  return {
    items: items.slice(start, end),
    total,
    next_cursor: at ? await writeCursor(scope, at) : null,
    has_more: at !== undefined,
  }
}

/** Behind the item last shown. Where that one is gone, what followed it has its place, which `group` remembers. */
function placeAfter({ group, sort }: Position, names: readonly string[]): number {
  const at = names.indexOf(sort)
  return at === -1 ? Number(group) : at + 1
}
