// The figures of the deployment that are published, read again after five minutes.
import { memory } from '../../base/lib/memory.ts'
import type { Table } from '../../base/table/table.ts'
import { type Benchmarks, readBenchmarks } from './benchmarks.ts'
import { nodesRegistered } from './platform-nodes.ts'

const KEPT_MS = 300_000

/** `at`: when (ms) they were read. */
export type Published = { at: number; benchmarks: Benchmarks; nodes_registered: number | null }

const known = memory<Published>(1)

export async function publishedFigures(table: Table): Promise<Published> {
  const at = table.clock.now()
  const kept = known.get('figures')
  if (kept && at - kept.at < KEPT_MS) return kept
  const [benchmarks, nodes_registered] = await Promise.all([readBenchmarks(table), nodesRegistered(table)])
  const read = { at, benchmarks, nodes_registered }
  known.set('figures', read)
  return read
}
