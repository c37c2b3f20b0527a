// Reads an artifact that the chain confirms. An artifact item alone proves nothing; a block lists the hash of each artifact
// of the chain.
import type { Context } from '../../../base/context.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { artifactKey, artifacts, readable } from '../artifact/artifact.ts'
import { blockKey, blocks, unpackEntries } from './chain.ts'
import { artifactHash } from '../artifact/hashes.ts'
import { Header } from '../artifact/header.ts'

const SEQUENCE_MS = 5_000

/** The header of an artifact; undefined unless a block lists its exact text. A pending one is sequenced first. */
export async function readSequenced(ctx: Context, id: string): Promise<Header | undefined> {
  const placed = await read(ctx, id)
  if (placed) return placed
  const until = ctx.now() + SEQUENCE_MS
  const { sequence } = await import('./sequence.ts') // rarely needed, because sequencing takes less than a second
  await sequence(ctx, until)
  const header = await read(ctx, id)
  if (!header && ctx.now() >= until) throw new Error('the chain has too many pending artifacts to read this one')
  return header
}

async function read(ctx: Context, id: string): Promise<Header | undefined> {
  const item = await ctx.table.get(readable(artifacts), artifactKey(ctx.space, id))
  if (item?.seq === undefined || item.blk === undefined) return undefined
  const block = await ctx.table.get(readable(blocks), blockKey(ctx.space, item.blk))
  const entry = block && unpackEntries(block.entries)[item.seq - block.first]
  if (entry?.artifact_id !== id || !sameBytes(entry.ah, artifactHash(item.header))) return undefined
  return Header.parse(JSON.parse(item.header))
}
