import { comparisonsIn, type Filter } from './filter.ts'
import { badRequest } from './refusal.ts'

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
