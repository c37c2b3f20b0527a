// Where reading a chain begins: at its genesis, or at a checkpoint.
import type { Context, Space } from '../../../base/context.ts'
import { env } from '../../../base/lib/env.ts'
import { type Checkpoint, CHECKPOINT_PREFIX, checkpoints, chainKey, geneses, genesisKey } from '../chain/chain.ts'
import type { ChainState } from './chain-walk.ts'
import { readable } from '../artifact/readable.ts'
import { chainName, type Genesis, genesisLink } from '../artifact/hashes.ts'

/** With the first signing key, where it was kept. */
export type StoredGenesis = Genesis & { spki?: Uint8Array | undefined }

/** What the first link commits to. A genesis that is gone is one that nothing follows from. */
export async function readGenesis(ctx: Context): Promise<StoredGenesis> {
  const found = await ctx.table.get(readable(geneses), genesisKey(ctx.space))
  const chain = chainName(ctx.space)
  return found ?? { chain, origin: env('EVIDENCE_ORIGIN'), created_at: '', key_spki_sha256: '' }
}

export const checkpointName = (genesis: Genesis, space: Space): string => `${genesis.origin}/${chainName(space)}`

/** Checkpoints that the table knows, newest first. */
export async function newestCheckpoints(ctx: Context, limit: number): Promise<Checkpoint[]> {
  const range = { pk: chainKey(ctx.space), prefix: CHECKPOINT_PREFIX, descending: true, limit }
  return (await ctx.table.query(readable(checkpoints), range)).filter((item) => item !== undefined)
}

/** Where a walk begins: behind a block of that number (0: at the genesis). */
export type WalkStart = ChainState & { block: number }

export const genesisStart = (genesis: Genesis): WalkStart => ({
  size: 0,
  link: genesisLink(genesis),
  frontier: [],
  block: 0,
})
