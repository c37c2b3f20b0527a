// Finds filters that need no scan: those with an equality of an attribute that has look-up rows, alone or joined by `and`.
import type { Filter } from './filter.ts'
import { type KeyedAttribute, keyedAttribute } from './keys.ts'
import type { ResourceType } from './resource-type.ts'

/** The look-up that finds all resources that can meet a filter. */
export type IndexLookup = { attribute: 'id' | KeyedAttribute; value: string }

export function indexLookup(type: ResourceType, filter: Filter): IndexLookup | undefined {
  if (filter.op === 'and')
    return filter.filters.map((one) => indexLookup(type, one)).find((found) => found !== undefined)
  if (filter.op === 'some') return lookupAt(type, filter.place.names, filter.filter)
  return lookupAt(type, [], filter)
}

/** `within`: the path of the multi-valued attribute in whose brackets the filter stands. */
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
