import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { type LoadedVersion, loadVersion } from './load.ts'
import { nodeHeads, nodesPartition } from './node.ts'

const MOST = 10_000
/** A version may have 262 KB. */
const AT_ONCE = 8

/** What a function makes of the latest version of every node that the tenant has registered. */
export async function ofLatestNodes<T>(
  { table, space }: Context,
  run: (of: LoadedVersion) => Promise<T>,
): Promise<T[]> {
  const heads = await wholeRange(table, nodeHeads, { pk: nodesPartition(space) }, MOST)
  return inParallel(AT_ONCE, heads, async ({ node_id, latest }) => {
    const loaded = await loadVersion(table, space, node_id, latest)
    if (!loaded) throw new Error(`version ${latest} of ${node_id} is gone`)
    return run(loaded)
  })
}
