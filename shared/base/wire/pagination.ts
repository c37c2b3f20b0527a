// Both pagination envelopes of the API specification over any list: one partition, several shards, or months of shards.
import * as z from 'zod'
import type { Context } from '../context.ts'
import { malformed } from '../lib/failure.ts'
import { type CursorScope, type Position, readCursor, writeCursor } from './cursor.ts'
import type { IndexName, Key } from '../table/entity.ts'
import type { Readable } from '../table/table.ts'

export const LIMIT_DEFAULT = 50
export const LIMIT_MAX = 200
export const OFFSET_MAX = 10_000
/** Further queries to fill a page when filters dropped items. */
const FILLS_MAX = 10

const count = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))

/** The query parameters of every list; a list adds its filters with `.extend`. */
export const ListQuery = z.object({
  limit: count
    .pipe(z.number().min(1))
    .transform((limit) => Math.min(limit, LIMIT_MAX))
    .optional(),
  cursor: z.string().optional(),
  offset: count.optional(),
})
export type ListQuery = z.output<typeof ListQuery>

/** Both envelopes of one kind of item. */
export const listView = <S extends z.ZodType>(item: S) =>
  z.object({
    items: z.array(item).describe('The items of this page.'),
    total: z.int().describe('The total number of items.'),
    total_is_lower_bound: z
      .literal(true)
      .optional()
      .describe('Whether there are more than `total`, because counting stopped.'),
    next_cursor: z.string().nullable().optional().describe('Send this value as `cursor` to get the next page.'),
    has_more: z.boolean().optional().describe('Whether there are more items.'),
    limit: z.int().optional().describe('The maximum number of items that the request asked for.'),
    offset: z.int().optional().describe('The number of items that were skipped.'),
  })

/** A list is one or more groups of partitions, read group after group; inside a group the partitions are merged. */
export type ListSource<T, K> = {
  of: Readable<T, K>
  groups: { name: string; partitions: string[] }[]
  index?: IndexName
  /** Newest first unless false. */
  descending?: boolean
  filter?: ((item: T) => boolean) | undefined
  /** Bounds of the sort key, inclusive. */
  from?: string | undefined
  to?: string | undefined
  /** The key of the item that an entry of the list refers to; default: the entry's own. */
  keyOf?: (entry: Key) => Key
  /** Gives the total without counting the list. */
  total?: () => Promise<{ total: number; complete: boolean }>
}

type Envelope<T> = {
  items: T[]
  total: number
  total_is_lower_bound?: true
  next_cursor?: string | null
  has_more?: boolean
  limit?: number
  offset?: number
}

type Entry = Key & { sort: string; group: string }

/** One page of a list, by cursor or by offset. A cursor is refused with other filter values than those of its page. */
export async function paginate<T, K>(
  ctx: Context,
  operation: string,
  query: ListQuery & Record<string, unknown>,
  source: ListSource<T, K>,
): Promise<Envelope<T>> {
  const { limit = LIMIT_DEFAULT, cursor, offset, ...filters } = query
  const scope: CursorScope = { space: ctx.space, operation, filters }
  if (cursor === undefined && offset !== undefined) return offsetPage(ctx, source, limit, offset)
  const start = cursor === undefined ? undefined : await readCursor(scope, cursor)
  const [page, sum] = await Promise.all([
    readPage(ctx, source, limit, start),
    start ? { total: start.total, complete: !start.bounded } : totalOf(ctx, source),
  ])
  const { last } = page
  const at: Position | undefined = last && { ...last, total: sum.total, bounded: !sum.complete }
  return {
    items: page.items,
    ...total(sum),
    next_cursor: at ? await writeCursor(scope, at) : null,
    has_more: at !== undefined,
  }
}

const total = (sum: { total: number; complete: boolean }) => ({
  total: sum.total,
  ...(!sum.complete && { total_is_lower_bound: true as const }),
})

async function offsetPage<T, K>(
  ctx: Context,
  source: ListSource<T, K>,
  limit: number,
  offset: number,
): Promise<Envelope<T>> {
  mustBeOffset(offset)
  const [items, sum] = await Promise.all([skipAndTake(ctx, source, offset, limit), totalOf(ctx, source)])
  return { items, ...total(sum), limit, offset }
}

export function mustBeOffset(offset: number): void {
  if (offset > OFFSET_MAX) throw malformed(`The offset can be at most ${OFFSET_MAX}. Use the cursor to read further.`)
}

async function skipAndTake<T, K>(ctx: Context, source: ListSource<T, K>, offset: number, limit: number) {
  if (source.filter) {
    const { items } = await readPage(ctx, source, offset + limit, undefined)
    return items.slice(offset)
  }
  const entries = await readKeys(ctx, source, offset + limit, undefined)
  return readItems(ctx, source, entries.slice(offset))
}

/** Up to `limit` items after a position, and the position of the next page when there is one. */
export async function readPage<T, K>(
  ctx: Context,
  source: ListSource<T, K>,
  limit: number,
  start: { group: string; sort: string } | undefined,
): Promise<{ items: T[]; last?: { group: string; sort: string } }> {
  const items: T[] = []
  let position = start
  for (let fill = 0; fill <= FILLS_MAX; fill += 1) {
    const wanted = limit - items.length
    const entries = await readKeys(ctx, source, wanted + 1, position)
    const more = entries.length > wanted
    const taken = entries.slice(0, wanted)
    const found = await readItems(ctx, source, taken)
    items.push(...(source.filter ? found.filter(source.filter) : found))
    position = taken.at(-1) ?? position
    if (!more) return { items }
    if (items.length >= limit) break
  }
  return { items, ...(position && { last: { group: position.group, sort: position.sort } }) }
}

const readItems = <T, K>({ table }: Context, { of, keyOf = (entry) => entry }: ListSource<T, K>, entries: Entry[]) =>
  table.read(of, entries.map(keyOf))

/** Keys in list order across groups and shards. */
async function readKeys<T, K>(
  ctx: Context,
  source: ListSource<T, K>,
  limit: number,
  start: { group: string; sort: string } | undefined,
): Promise<Entry[]> {
  const { groups, index, descending = true, from, to } = source
  const entries: Entry[] = []
  const first = start
    ? Math.max(
        0,
        groups.findIndex(({ name }) => name === start.group),
      )
    : 0
  for (const group of groups.slice(first)) {
    const after = group.name === start?.group ? start.sort : undefined
    const wanted = limit - entries.length
    const shards = await Promise.all(
      group.partitions.map((pk) =>
        ctx.table.keys({ pk, ...(index && { index }), after, from, to, limit: wanted, descending }),
      ),
    )
    const merged = shards.flat().toSorted((a, b) => (a.sort < b.sort ? -1 : 1) * (descending ? -1 : 1))
    entries.push(...merged.slice(0, wanted).map((entry) => ({ ...entry, group: group.name })))
    if (entries.length >= limit) break
  }
  return entries
}

/** Counts the range of the list. Filters that need the items themselves are counted on at most 2,000 items. */
async function totalOf<T, K>(ctx: Context, source: ListSource<T, K>): Promise<{ total: number; complete: boolean }> {
  if (source.total) return source.total()
  const { groups, index, from, to } = source
  if (source.filter) {
    const entries = await readKeys(ctx, source, 2_001, undefined)
    const items = await readItems(ctx, source, entries.slice(0, 2_000))
    return { total: items.filter(source.filter).length, complete: entries.length <= 2_000 }
  }
  const counts = await Promise.all(
    groups.flatMap(({ partitions }) =>
      partitions.map((pk) => ctx.table.count({ pk, ...(index && { index }), from, to })),
    ),
  )
  return {
    total: counts.reduce((sum, part) => sum + part.total, 0),
    complete: counts.every((part) => part.complete),
  }
}
