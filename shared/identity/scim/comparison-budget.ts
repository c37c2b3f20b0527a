import { comparisonsIn, type Filter } from './filter.ts'
import { refused } from './refusal.ts'

const COMPARISONS_MAX = 1_000_000

/**
 * Counts what the operations of one request compare. Throws 400 tooMany for more than a function has time for: each
 * operation may be small, and the product of all of them is not.
 */
export function comparisonBudget(): (values: number, filter?: Filter) => void {
  let sum = 0
  return (values, filter) => {
    sum += values * (filter ? comparisonsIn(filter) : 1)
    if (sum > COMPARISONS_MAX) throw refused('tooMany', 'The operations look at too many values; send fewer at a time.')
  }
}
