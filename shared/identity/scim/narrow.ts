// Filters that need no scan: an equality of an attribute that has look-up rows, alone or as one part of a conjunction.
import type { Filter } from './filter.ts'
import { type KeyedAttribute, keyedAttribute } from './keys.ts'
import type { ResourceType } from './resource-type.ts'

/** Where to look for everything that can meet a filter; undefined when only a scan can tell. */
export type Narrowed = { attribute: 'id' | KeyedAttribute; value: string }

export function narrowed(type: ResourceType, filter: Filter): Narrowed | undefined {
  if (filter.op === 'and') return filter.filters.map((one) => narrowed(type, one)).find((found) => found !== undefined)
  if (filter.op !== 'eq' || typeof filter.value !== 'string' || filter.place.names.length > 1) return undefined
  const [name = ''] = filter.place.names
  const attribute = name === 'id' ? name : keyedAttribute(type, name)
  return attribute && { attribute, value: filter.value }
}

/** Whether a filter asks for an attribute at all, so that nobody reads what nobody compares. */
export function asksFor(filter: Filter, name: string): boolean {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.some((one) => asksFor(one, name))
    case 'not':
      return asksFor(filter.filter, name)
    default:
      return filter.place.names[0] === name
  }
}
