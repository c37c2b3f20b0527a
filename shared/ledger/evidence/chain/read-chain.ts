// Reads the starting points of a walk: the genesis and checkpoints.
import type { Context, Space } from '../../../base/context.ts'
import { env } from '../../../base/lib/runtime.ts'
import { type Checkpoint, CHECKPOINT_PREFIX, checkpoints, chainKey, geneses, genesisKey } from './chain.ts'
import type { Frontier } from './merkle.ts'
import { readable } from '../artifact/readable.ts'
import { chainName, type Genesis, genesisLink } from '../artifact/hashes.ts'

/** With the first signing key, if it was stored. */
export type StoredGenesis = Genesis & { spki?: Uint8Array | undefined }

/** The genesis. A missing one is replaced by an empty one, which no chain can follow from. */
export async function readGenesis(ctx: Context): Promise<StoredGenesis> {
  const found = await ctx.table.get(readable(geneses), genesisKey(ctx.space))
  const chain = chainName(ctx.space)
  return found ?? { chain, origin: env('EVIDENCE_ORIGIN'), created_at: '', key_spki_sha256: '' }
}

export const checkpointName = (genesis: Genesis, space: Space): string => `${genesis.origin}/${chainName(space)}`

/** Checkpoints in the table, newest first. */
export async function newestCheckpoints(ctx: Context, limit: number): Promise<Checkpoint[]> {
  const range = { pk: chainKey(ctx.space), prefix: CHECKPOINT_PREFIX, descending: true, limit }
  return (await ctx.table.query(readable(checkpoints), range)).filter((item) => item !== undefined)
}

/** The start of a walk: the number of artifacts before it, their last link (or the genesis link) and their frontier. */
export type ChainState = { size: number; link: Uint8Array; frontier: Frontier }

/** The start of a walk: after the block of that number (0: at the genesis). */
export type WalkStart = ChainState & { block: number }

export const genesisStart = (genesis: Genesis): WalkStart => ({
  size: 0,
  link: genesisLink(genesis),
  frontier: [],
  block: 0,
})
