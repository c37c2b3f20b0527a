import type { DatasetCounts } from '../datasets/dataset-counts.ts'
import type { Deduped, Pair } from '../samples/pair.ts'
import type { Collected } from './collect.ts'

/** What became of all that was collected. */
export function countsOf(
  { counts }: Collected,
  { samples, pairs, duplicates, conflicts }: Deduped & { pairs: readonly Pair[] },
): DatasetCounts {
  const paired = new Set(pairs.flatMap(({ chosen, rejected }) => [chosen.id, rejected.id]))
  const chosen = samples.filter(({ side }) => side === 'chosen').length
  const sources = samples.map(({ source }) => source).toSorted()
  const by_source: Record<string, number> = {}
  for (const source of sources) by_source[source] = (by_source[source] ?? 0) + 1
  return {
    pairs: pairs.length,
    chosen,
    rejected: samples.length - chosen,
    unpaired: samples.filter(({ id }) => !paired.has(id)).length,
    ...counts,
    duplicates,
    conflicts,
    by_source,
  }
}
