// Reads the stored chain in large pieces. Artifacts are read by ranges of the shards and not by the lists in blocks, which
// is four times cheaper and also finds items that no block lists.
import type { Context } from '../../../base/context.ts'
import {
  artifactIdOf,
  artifactKey,
  artifacts,
  SHARDS,
  shardKey,
  type StoredArtifact,
  ulidOf,
} from '../artifact/artifact.ts'
import { type Block, blockKey, blockNumber, blocks } from './chain.ts'
import { unpackEntries } from './entries.ts'
import { readable } from '../artifact/readable.ts'

const BLOCKS_PER_READ = 100

/** Blocks after one number up to another, until they hold `count` artifacts (at least one block). */
export async function readBlocks(
  ctx: Context,
  after: number,
  last: number,
  count: number,
): Promise<{ taken: Block[]; complete: boolean }> {
  const taken: Block[] = []
  const { pk, sk: to } = blockKey(ctx.space, last)
  let from = after
  let held = 0
  while (from < last) {
    const page = await ctx.table.query(readable(blocks), {
      pk,
      after: blockKey(ctx.space, from).sk,
      to,
      limit: BLOCKS_PER_READ,
    })
    for (const block of page.filter((found) => found !== undefined)) {
      held += block.count
      if (held > count && taken.length > 0) return { taken, complete: false }
      taken.push(block)
      from = blockNumber(block)
    }
    if (page.length < BLOCKS_PER_READ) break
  }
  return { taken, complete: true }
}

/** The ULID of the last artifact of a block. Later blocks hold later ones, except for clock skew. */
export const lastUlid = (block: Block | undefined): string => (block ? (ulidsOf(block).at(-1) ?? '') : '')

/** A range of ULIDs in the shards; undefined means unbounded. */
export type UlidRange = { from: string | undefined; to: string | undefined }

/** All artifact items of the range, listed or not, and the listed items of the blocks outside of it. */
export async function readArtifacts(ctx: Context, run: readonly Block[], { from, to }: UlidRange) {
  const inside = (ulid: string) => ulid >= (from ?? '') && (to === undefined || ulid <= to)
  const outside = run.flatMap(ulidsOf).filter((ulid) => !inside(ulid))
  const keys = [...new Set(outside)].map((ulid) => artifactKey(ctx.space, artifactIdOf(ulid)))
  const shards = Array.from({ length: SHARDS }, (_, shard) =>
    ctx.table.query(readable(artifacts), { pk: shardKey(ctx.space, shard), from, to }),
  )
  const found = await Promise.all([ctx.table.read(readable(artifacts), keys), ...shards])
  const items = found.flat().filter((item) => item !== undefined)
  return new Map<string, StoredArtifact>(items.map((item) => [artifactIdOf(item.sk), item]))
}

/** Empty when the entries are incomplete. */
function ulidsOf(block: Block): string[] {
  try {
    return unpackEntries(block.entries).map(({ artifact_id }) => ulidOf(artifact_id))
  } catch {
    return []
  }
}
