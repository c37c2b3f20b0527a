import type { Context } from '../../../base/context.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import { blockKey, blocks, type Checkpoint, unpackEntries } from '../chain/chain.ts'

/** When (ms) the first artifact after a checkpoint happened, as its id says; undefined when the chain has none. */
export async function oldestUnsigned(
  { table, space }: Context,
  newest: Pick<Checkpoint, 'block'> | undefined,
): Promise<number | undefined> {
  const block = await table.get(blocks, blockKey(space, (newest?.block ?? 0) + 1))
  const [first] = block ? unpackEntries(block.entries) : []
  return first && timeOfId(first.artifact_id)
}
