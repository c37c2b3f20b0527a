// Both pagination envelopes over a short list that is already in memory, and a walk over all pages of a stored list.
import type { Context } from '../context.ts'
import { type Position, readCursor, writeCursor } from './cursor.ts'
import { LIMIT_DEFAULT, type ListQuery, type ListSource, mustBeOffset, readPage } from './pagination.ts'

/** `nameOf` gives the unique name of an item; a cursor holds the name of the next item. */
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
  const from = cursor === undefined ? undefined : await readCursor(scope, cursor)
  const total = from?.total ?? items.length
  const start = from ? placeOf(from, items.map(nameOf)) : 0
  const end = start + limit
  const next = items[end]
  const at = next && { group: String(end), sort: nameOf(next), total, bounded: false }
  return {
    items: items.slice(start, end),
    total,
    next_cursor: at ? await writeCursor(scope, at) : null,
    has_more: at !== undefined,
  }
}

/**
 * The position of the next item. The cursor names the next item and not the last one, because a reader who works through a
 * queue removes the items already listed. If the next item is gone as well, `group` holds its former position.
 */
function placeOf({ group, sort }: Position, names: readonly string[]): number {
  const at = names.indexOf(sort)
  return at === -1 ? Number(group) : at
}

const ROWS_PER_PAGE = 1_000

/** All items of a list, page by page. */
export async function* pagesOf<T, K>(ctx: Context, source: ListSource<T, K>): AsyncGenerator<T[]> {
  let last: { group: string; sort: string } | undefined
  do {
    const page = await readPage(ctx, source, ROWS_PER_PAGE, last)
    yield page.items
    last = page.last
  } while (last)
}
