// Searches a directory (RFC 7644, section 3.4.2). Pages without a filter come from the index. A filter uses look-up rows if
// its attribute has them; otherwise it scans up to a limit.
import type { Context, Space } from '../../base/context.ts'
import { type Counted, headCount } from '../accounts/head-count.ts'
import { type Filter, typedFilter } from './filter/filter.ts'
import { type ListResponse, listResponse, type Search } from './messages.ts'
import { matches } from './filter/matches.ts'
import { type KeyedAttribute, keyedAttribute, SCAN_MAX } from './filter/keys.ts'
import { badRequest } from './refusal.ts'
import type { Resource, ResourceType } from './resource-type.ts'
import { isSelected, select } from './filter/select.ts'

/** No directory is this large, and larger numbers would exceed the limits of the database. */
const START_MAX = 10_000_000

/** The resources of one type. `Item` is the stored form. */
export type Collection<Item> = {
  type: ResourceType
  /** The attribute that is stored in other rows, so it is read only if it is selected. */
  costly: 'groups' | 'members'
  counted: Counted
  /** Of the index that holds them all. */
  partition: (space: Space) => string
  /** Oldest first. */
  ids: (ctx: Context, limit: number) => Promise<string[]>
  idsBy: (ctx: Context, indexLookup: IndexLookup) => Promise<string[]>
  read: (ctx: Context, ids: readonly string[]) => Promise<Item[]>
  show: (ctx: Context, items: readonly Item[], withCostly: boolean) => Promise<Resource[]>
}

/** The page of a collection that a search asks for. */
export async function list<Item>(ctx: Context, collection: Collection<Item>, search: Search): Promise<ListResponse> {
  const found = await page(ctx, collection, search)
  if (found.total === 0 && search.spelled !== undefined) return list(ctx, collection, asSpelled(search, search.spelled))
  return listResponse(found.total, found.resources, search)
}

const asSpelled = ({ spelled: _, ...search }: Search, filter: string): Search => ({ ...search, filter })

/** One type of several in a list. */
export type Part = { type: ResourceType; page: (ctx: Context, search: Search) => Promise<Page> }

export const part = <Item>(collection: Collection<Item>): Part => ({
  type: collection.type,
  page: (ctx, search) => page(ctx, collection, search),
})

/** Several types as one list. A type without an attribute of the filter has no matches. */
export async function listAll(ctx: Context, parts: readonly [Part, ...Part[]], search: Search): Promise<ListResponse> {
  const { startIndex, count, filter } = search
  const searchable = parts.filter(({ type }) => filter === undefined || understands(type, filter))
  if (filter !== undefined && searchable.length === 0) typedFilter(parts[0].type, filter) // throws the error of the filter
  const resources: Resource[] = []
  let total = 0
  for (const one of searchable) {
    const from = Math.max(1, startIndex - total)
    const found = await one.page(ctx, { ...search, startIndex: from, count: count - resources.length })
    total += found.total
    resources.push(...found.resources)
  }
  if (total === 0 && search.spelled !== undefined) return listAll(ctx, parts, asSpelled(search, search.spelled))
  return listResponse(total, resources, search)
}

function understands(type: ResourceType, filter: string): boolean {
  try {
    typedFilter(type, filter)
    return true
  } catch {
    return false
  }
}

export type Page = { total: number; resources: Resource[] }

async function page<Item>(ctx: Context, collection: Collection<Item>, search: Search): Promise<Page> {
  const { type, costly } = collection
  const withCostly = isSelected(type, search, costly)
  const show = async (items: readonly Item[]) =>
    (await collection.show(ctx, items, withCostly)).map((resource) => select(type, search, resource))
  const from = search.startIndex - 1
  if (search.filter === undefined) {
    const [total, ids] = await Promise.all([
      totalOf(ctx, collection),
      search.count > 0 && from < START_MAX ? collection.ids(ctx, from + search.count) : [],
    ])
    return { total, resources: await show(await collection.read(ctx, ids.slice(from))) }
  }
  const found = await itemsMatching(ctx, collection, typedFilter(type, search.filter))
  return { total: found.length, resources: await show(found.slice(from, from + search.count)) }
}

/** For a tenant that was founded before its people were counted, the entries of the index are counted. */
async function totalOf<Item>(ctx: Context, { counted, partition }: Collection<Item>): Promise<number> {
  const known = await headCount(ctx, counted)
  return known ?? (await ctx.table.count({ pk: partition(ctx.space), index: 'gsi1' })).total
}

async function itemsMatching<Item>(ctx: Context, collection: Collection<Item>, filter: Filter): Promise<Item[]> {
  const narrow = indexLookup(collection.type, filter)
  const ids = narrow ? await collection.idsBy(ctx, narrow) : await collection.ids(ctx, SCAN_MAX + 1)
  if (ids.length > SCAN_MAX) throw tooMany()
  const items = await collection.read(ctx, ids)
  const resources = await collection.show(ctx, items, comparesAttribute(filter, collection.costly))
  return items.filter((_, index) => matches(filter, resources[index]))
}

export const tooMany = () =>
  badRequest(
    'tooMany',
    `Your request would search more than ${SCAN_MAX} resources. Filter by userName, emails.value, displayName, externalId or id.`,
  )

/** The look-up that finds all resources that can meet a filter. */
export type IndexLookup = { attribute: 'id' | KeyedAttribute; value: string }

/** For filters that need no scan: those with an equality of an attribute that has look-up rows, alone or joined by `and`. */
export function indexLookup(type: ResourceType, filter: Filter): IndexLookup | undefined {
  if (filter.op === 'and')
    return filter.filters.map((one) => indexLookup(type, one)).find((found) => found !== undefined)
  if (filter.op === 'some') return lookupAt(type, filter.place.names, filter.filter)
  return lookupAt(type, [], filter)
}

/** `within`: the path of the multi-valued attribute whose brackets hold the filter. */
function lookupAt(type: ResourceType, within: readonly string[], filter: Filter): IndexLookup | undefined {
  if (filter.op === 'and')
    return filter.filters.map((one) => lookupAt(type, within, one)).find((found) => found !== undefined)
  if (filter.op !== 'eq' || typeof filter.value !== 'string') return undefined
  const path = [...within, ...filter.place.names]
  const attribute = path.join('.') === 'id' ? 'id' : keyedAttribute(type, path)
  return attribute && { attribute, value: filter.value }
}

/** Whether a filter compares an attribute. If not, it need not be read. */
export function comparesAttribute(filter: Filter, name: string): boolean {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.some((one) => comparesAttribute(one, name))
    case 'not':
      return comparesAttribute(filter.filter, name)
    default:
      return filter.place.names[0] === name
  }
}
