// Both pagination envelopes over a short list that is known as a whole.
import type { Context } from '../context.ts'
import { readCursor, writeCursor } from '../table/cursor.ts'
import { LIMIT_DEFAULT, type ListQuery, mustBeOffset } from './pagination.ts'

/** `nameOf` gives what tells the items apart: a cursor remembers the last one shown. */
export async function pageOf<T>(
  ctx: Context,
  operation: string,
  query: ListQuery & Record<string, unknown>,
  items: readonly T[],
  nameOf: (item: T) => string,
) {
  const { limit = LIMIT_DEFAULT, cursor, offset, ...filters } = query
  const total = items.length
  if (cursor === undefined && offset !== undefined) {
    mustBeOffset(offset)
    return { items: items.slice(offset, offset + limit), total, limit, offset }
  }
  const scope = { space: ctx.space, operation, filters }
  const last = cursor === undefined ? undefined : (await readCursor(scope, cursor)).sort
  const start = last === undefined ? 0 : items.findIndex((item) => nameOf(item) === last) + 1
  const page = items.slice(start, start + limit)
  const end = page.at(-1)
  const has_more = start + page.length < total
  const at = has_more && end !== undefined ? { group: 'all', sort: nameOf(end), total, bounded: false } : undefined
  return { items: page, total, next_cursor: at ? await writeCursor(scope, at) : null, has_more }
}
