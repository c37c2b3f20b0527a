// What the rules of a space make the pass over the log count: the events that they wait for, and the series under a filter.
import { TIERS } from '../../base/catalog/kinds.ts'
import type { FoldedCommit, Folder, FolderState } from '../../ledger/fold/folder.ts'
import { type AlertRule, minutesIn } from '../alerts/rule.ts'
import { MINUTE } from '../metrics/state.ts'
import type { Addition } from '../metrics/series.ts'
import { type Facts, FILTERED_MAX, filterPrefix, matches } from '../slos/counts.ts'
import type { Sli, Slo } from '../slos/slo.ts'

export const WATCH_FOLDER = 'watch'

/** Events that a rule waits for, by minute (ms). */
export type Hits = Record<string, [minute: number, count: number][]>

export const watchFolder = (rules: readonly AlertRule[]): Folder => ({
  name: WATCH_FOLDER,
  fold(commit, _, state) {
    for (const rule of rules) if (rule.kind === 'event' && rule.enabled) countHits(rule, commit, state)
  },
})

/** The series of a commit under each filter that it matches. */
export const underFilters =
  (filters: readonly NonNullable<Sli['filter']>[]) =>
  (commit: FoldedCommit, additions: readonly Addition[]): Addition[] => {
    const facts = filters.length > 0 ? factsOf(commit) : undefined
    if (!facts) return []
    const own = additions.filter(([series]) => FILTERED.test(series))
    return filters
      .filter((filter) => matches(filter, facts))
      .flatMap((filter) => own.map(([series, by]): Addition => [filterPrefix(filter) + series, by]))
  }

/** Decisions, latencies and results: what an indicator with a filter is made of. */
const FILTERED = /^([ge]\d+|[dr]\..*)$/

export const hitsOf = (state: FolderState): Hits => (state.hits ?? {}) as Hits // written below

function countHits(rule: AlertRule, { at, events }: FoldedCommit, state: FolderState): void {
  const count = events.filter((event) => isAwaited(rule, event)).length
  if (count === 0) return
  const hits = hitsOf(state)
  const minute = Math.floor(at / MINUTE) * MINUTE
  const kept = (hits[rule.id] ?? []).filter(([when]) => when > minute - minutesIn(rule.window) * MINUTE)
  const last = kept.at(-1)
  if (last?.[0] === minute) last[1] += count
  else kept.push([minute, count])
  state.hits = { ...hits, [rule.id]: kept }
}

function isAwaited(
  { event_types = [], where = {} }: AlertRule,
  { type, data }: FoldedCommit['events'][number],
): boolean {
  const members = data as Readonly<Record<string, unknown>>
  return event_types.includes(type) && Object.entries(where).every(([name, value]) => members[name] === value)
}

/** The action of a commit; a commit has one. */
function factsOf({ events, measures }: FoldedCommit): Facts | undefined {
  for (const { data } of events) {
    const { node_id, action_id } = data as { node_id?: unknown; action_id?: unknown }
    if (typeof node_id === 'string' && typeof action_id === 'string')
      return { node_id, action_id, tier: tierOf(measures) }
  }
  return undefined
}

function tierOf(measures: readonly unknown[]): string {
  for (const measure of measures) {
    const [code, first, second] = Array.isArray(measure) ? (measure as unknown[]) : []
    const place = code === 'd' ? first : code === 'r' ? second : undefined
    if (typeof place === 'number') return TIERS[place] ?? ''
  }
  return ''
}

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
