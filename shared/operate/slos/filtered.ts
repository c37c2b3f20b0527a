// Series of one node, action or tier. They are counted from the moment on at which a definition first asks for them.
import { canonicalJson, given, sha256Hex } from '../../base/lib/json.ts'
import { Counts } from '../metrics/read-window.ts'
import type { Sli } from './indicator.ts'

/** As many of them a space may have. */
export const FILTERED_MAX = 50

type Filter = NonNullable<Sli['filter']>

/** Beginning of the names of all series under a filter; stored, so it never changes. */
export const filterPrefix = (filter: Filter): string => `x${sha256Hex(canonicalJson(given(filter))).slice(0, 8)}.`

export type Facts = { node_id: string; action_id: string; tier: string }

export const matches = (filter: Filter, facts: Facts): boolean =>
  (['node_id', 'action_id', 'tier'] as const).every((name) => (filter[name] ?? facts[name]) === facts[name])

/** The series of an indicator: those under its filter by their usual names, or all. */
export function seriesOf(series: Counts, { filter }: Pick<Sli, 'filter'>): Counts {
  if (!filter) return series
  const under = new Counts()
  for (const [name, sum] of series.under(filterPrefix(filter))) under.add(name, sum)
  return under
}
