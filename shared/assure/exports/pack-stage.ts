// A pack is made in two steps, since it holds the proof that the chain holds the hash of its manifest. First its content is
// fixed and an artifact names that hash; when a checkpoint covers the artifact, the same content is written once more
// together with the proof. Each step begins when the chain is signed up to the artifact before it.
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { newestCheckpoints } from '../../ledger/evidence/verify/read-chain.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import { requestCheckpoint } from '../../ledger/evidence/chain/enqueue.ts'
import type { Export } from './export.ts'

/**
 * After that long a chain counts as one that is not being signed, because it is damaged or KMS is down. It is exported all
 * the same, without the proof: the verifier says what is wrong with it, and does not call it valid.
 */
const PATIENCE_MS = 10 * 60_000

/** `unsealed`: written as it is, without waiting any longer. */
export type PackStage = 'waits' | 'announce' | 'seal' | 'unsealed'

export async function packStage(ctx: Context, { artifact, pack, requested_at }: Export): Promise<PackStage> {
  if (await isSigned(ctx, pack?.artifact_id ?? artifact.id)) return pack ? 'seal' : 'announce'
  return ctx.now() < (pack?.at ?? Date.parse(requested_at)) + PATIENCE_MS ? 'waits' : 'unsealed'
}

/** `asked`: the checkpointer has just been here, and what it did not sign it will not sign at once. */
export async function askForCheckpoint(ctx: Context, id: string, asked: boolean): Promise<void> {
  if (!asked) await requestCheckpoint(ctx.space, id)
}

async function isSigned(ctx: Context, id: string): Promise<boolean> {
  const [item, [newest]] = await Promise.all([
    ctx.table.get(readable(artifacts), artifactKey(ctx.space, id)),
    newestCheckpoints(ctx, 1),
  ])
  return item?.seq !== undefined && item.seq < (newest?.size ?? 0)
}
