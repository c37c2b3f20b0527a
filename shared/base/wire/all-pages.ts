import type { Context } from '../context.ts'
import { type ListSource, readPage } from './pagination.ts'

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
