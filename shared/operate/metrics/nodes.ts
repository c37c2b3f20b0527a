// Only so many nodes have series of their own, the busiest ones; the others share one.
export const OTHER_NODES = '~other'

const RUNS = 'n.'
const FAILED = 'nb.'

/** Series of runs and failures by node, of which the least busy are added up until `max` nodes have their own. */
export function busiest(series: Readonly<Record<string, number>>, max: number): Record<string, number> {
  const named = Object.entries(series).flatMap(([name, runs]): [node: string, runs: number][] =>
    name.startsWith(RUNS) && name !== RUNS + OTHER_NODES ? [[name.slice(RUNS.length), runs]] : [],
  )
  const kept = { ...series }
  for (const [node] of named.toSorted(byRuns).slice(max)) {
    for (const prefix of [RUNS, FAILED]) {
      const { [prefix + node]: count = 0 } = kept
      delete kept[prefix + node]
      if (count > 0) kept[prefix + OTHER_NODES] = (kept[prefix + OTHER_NODES] ?? 0) + count
    }
  }
  return kept
}

type Runs = [node: string, runs: number]

const byRuns = ([a, most]: Runs, [b, least]: Runs): number => least - most || (a < b ? -1 : 1)
