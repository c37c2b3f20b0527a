// How many members of a population hold. Pure: tallies of days add up to that of a window.
import * as z from 'zod'

export const Tally = z.object({
  numerator: z.int(),
  denominator: z.int(),
  /** The 20 smallest, sorted. */
  failing_ids: z.array(z.string()),
  failing_count: z.int(),
})
export type Tally = z.output<typeof Tally>

export const EMPTY: Tally = { numerator: 0, denominator: 0, failing_ids: [], failing_count: 0 }

const SAMPLE = 20
const smallest = (ids: readonly string[]): string[] => [...new Set(ids)].toSorted().slice(0, SAMPLE)

/** With one more member. */
export const counted = (
  { numerator, denominator, failing_ids, failing_count }: Tally,
  id: string,
  holds: boolean,
): Tally => ({
  numerator: numerator + (holds ? 1 : 0),
  denominator: denominator + 1,
  failing_ids: holds ? failing_ids : smallest([...failing_ids, id]),
  failing_count: failing_count + (holds ? 0 : 1),
})

export const sumOf = (tallies: readonly Tally[]): Tally => ({
  numerator: tallies.reduce((sum, { numerator }) => sum + numerator, 0),
  denominator: tallies.reduce((sum, { denominator }) => sum + denominator, 0),
  failing_ids: smallest(tallies.flatMap(({ failing_ids }) => failing_ids)),
  failing_count: tallies.reduce((sum, { failing_count }) => sum + failing_count, 0),
})
