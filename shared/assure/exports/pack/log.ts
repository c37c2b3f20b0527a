// The facts of the log that an archive states, and the signed state of that log at a size.
import type { Context } from '../../../base/context.ts'
import { chainName, type Genesis } from '../../../ledger/evidence/artifact/hashes.ts'
import { genesisStart, readGenesis, type WalkStart } from '../../../ledger/evidence/chain/read-chain.ts'
import { objectKey, readAnchor } from '../../../ledger/evidence/checkpoint/checkpoint-store.ts'
import { verifierKey } from '../../../ledger/evidence/checkpoint/note.ts'
import { type Signers, signersOf } from '../../../ledger/evidence/checkpoint/signers.ts'
import type { PackManifest } from './pack.ts'

export type Origin = { genesis: Genesis; signers: Signers }

export async function originOf(ctx: Context): Promise<Origin> {
  const genesis = await readGenesis(ctx)
  return { genesis, signers: await signersOf(ctx, genesis) }
}

/** From the bucket with Object Lock, where nobody can change it. `size`: 0, or that of a checkpoint. */
export async function signedState(ctx: Context, { genesis, signers }: Origin, size: number): Promise<WalkStart> {
  if (size === 0) return genesisStart(genesis)
  const anchor = await readAnchor(objectKey(ctx.space, size), signers)
  if (!anchor) throw new Error(`checkpoint ${size} of ${chainName(ctx.space)} is missing or not signed by us`)
  return anchor
}

export type LogFacts = Pick<PackManifest, 'chain' | 'genesis' | 'verifier_keys'>

export function logFacts(ctx: Context, { genesis, signers }: Origin): LogFacts {
  const { chain, created_at, key_spki_sha256, origin } = genesis
  return {
    chain: chainName(ctx.space),
    genesis: { chain, created_at, key_spki_sha256, origin },
    verifier_keys: signers.known.map(({ key, spki, fromSize, succession }) => ({
      verifier_key: verifierKey(key),
      spki: Buffer.from(spki).toString('base64'),
      from_size: fromSize,
      succession,
    })),
  }
}
