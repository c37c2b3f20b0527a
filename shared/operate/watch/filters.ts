import { filterPrefix, FILTERED_MAX } from '../slos/counts.ts'
import type { Sli, Slo } from '../slos/slo.ts'

type Filter = NonNullable<Sli['filter']>

/** The filters that the objectives of a space name, each once. */
export function filtersOf(slos: readonly Slo[]): Filter[] {
  const named = slos.flatMap(({ sli }) => (sli.filter ? [sli.filter] : []))
  return [...new Map(named.map((filter) => [filterPrefix(filter), filter])).values()].slice(0, FILTERED_MAX)
}

/** Since when each is counted; one that no objective names any more is forgotten. */
export const filtersIn = (
  slos: readonly Slo[],
  was: Readonly<Record<string, string>>,
  now: string,
): Record<string, string> =>
  Object.fromEntries(filtersOf(slos).map((filter) => [filterPrefix(filter), was[filterPrefix(filter)] ?? now]))
