// Whether a resource meets a filter. The schema decides about case and about the order of dates. Of several values one is enough.
import { comparable } from './attribute.ts'
import { type Comparison, comparisonsIn, type Filter, type Place } from './filter.ts'
import { isObject } from '../resource-type.ts'
import { badRequest } from '../refusal.ts'

export function matches(filter: Filter, resource: unknown): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((one) => matches(one, resource))
    case 'or':
      return filter.filters.some((one) => matches(one, resource))
    case 'not':
      return !matches(filter.filter, resource)
    case 'some':
      return valuesAt(resource, filter.place.names).some((element) => matches(filter.filter, element))
    case 'present':
      return valuesAt(resource, filter.place.names).some(isPresent)
    default:
      return compares(filter.op, filter.place, filter.value, valuesAt(resource, filter.place.names))
  }
}

/** All values at a path. Lists on the way, and at its end, are flattened. */
function valuesAt(from: unknown, names: readonly string[]): unknown[] {
  let values = [from]
  for (const name of names) values = values.flatMap((one) => (isObject(one) ? one[name] : undefined))
  return values.filter((one) => one !== undefined && one !== null)
}

/** An empty text is not present (operator `pr` of RFC 7644). */
const isPresent = (value: unknown): boolean => value !== '' && !(isObject(value) && Object.keys(value).length === 0)

/** An absent value equals null and differs from every other value. */
function compares(op: Comparison, { attribute }: Place, wanted: string | boolean | null, values: unknown[]): boolean {
  if (wanted === null) return (values.length === 0) === (op === 'eq')
  if (op === 'ne' && values.length === 0) return true
  if (typeof wanted === 'boolean') return values.some((value) => (value === wanted) === (op === 'eq'))
  if (attribute.type === 'dateTime' && !(op in TEXT)) {
    return values.some((value) => ordered(op, Date.parse(String(value)) - Date.parse(wanted)))
  }
  const right = comparable(attribute, wanted)
  return values.some((value) => {
    const left = comparable(attribute, String(value))
    return op in TEXT
      ? TEXT[op as keyof typeof TEXT](left, right)
      : ordered(op, left < right ? -1 : Number(left > right))
  })
}

const TEXT = {
  co: (left: string, right: string) => left.includes(right),
  sw: (left: string, right: string) => left.startsWith(right),
  ew: (left: string, right: string) => left.endsWith(right),
}

/** `difference` is negative, zero or positive, as in a sort function. */
function ordered(op: Comparison, difference: number): boolean {
  switch (op) {
    case 'eq':
      return difference === 0
    case 'ne':
      return difference !== 0
    case 'gt':
      return difference > 0
    case 'ge':
      return difference >= 0
    case 'lt':
      return difference < 0
    default:
      return difference <= 0
  }
}

const COMPARISONS_MAX = 1_000_000

/**
 * Counts the comparisons of all operations of one request, since many small operations can exceed the time of a function.
 * Throws 400 tooMany beyond the limit.
 */
export function comparisonBudget(): (values: number, filter?: Filter) => void {
  let sum = 0
  return (values, filter) => {
    sum += values * (filter ? comparisonsIn(filter) : 1)
    if (sum > COMPARISONS_MAX)
      throw badRequest('tooMany', 'The operations compare too many values. Send fewer in one request.')
  }
}
