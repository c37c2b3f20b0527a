// How the file of an export is made. An archive that contains the proof of its own manifest needs two steps. First its content is
// fixed, and an artifact states the hash of the manifest. When a checkpoint covers that artifact, the file is written with the
// proof; a pack writes the same content again. Each step waits until the chain is signed up to the artifact before it.
import type { Context } from '../../../base/context.ts'
import { type Artifact, artifactKey, artifacts, readable } from '../../../ledger/evidence/artifact/artifact.ts'
import { newestCheckpoints } from '../../../ledger/evidence/chain/read-chain.ts'
import { requestCheckpoint } from '../../../ledger/evidence/chain/enqueue.ts'
import type { Export } from '../export.ts'
import type { LocalFile } from '../../../base/aws/files.ts'

/**
 * After this time without a signature, because the chain is damaged or KMS is down, the pack is written without the proof. The
 * verifier then reports the cause and does not call it valid.
 */
const PATIENCE_MS = 10 * 60_000

export async function packStage(ctx: Context, { artifact, pack, requested_at }: Export): Promise<Stage> {
  if (await isSigned(ctx, pack?.artifact_id ?? artifact.id)) return pack ? 'seal' : 'announce'
  return ctx.now() < (pack?.at ?? Date.parse(requested_at)) + PATIENCE_MS ? 'waits' : 'unsealed'
}

/** `afterCheckpoint`: the checkpointer has just run for this export, so another request would change nothing. */
export async function askForCheckpoint(ctx: Context, id: string, afterCheckpoint: boolean): Promise<void> {
  if (!afterCheckpoint) await requestCheckpoint(ctx.space, id)
}

/** Whether a checkpoint covers the artifact. */
export async function isSigned(ctx: Context, id: string): Promise<boolean> {
  const [item, [newest]] = await Promise.all([
    ctx.table.get(readable(artifacts), artifactKey(ctx.space, id)),
    newestCheckpoints(ctx, 1),
  ])
  return item?.seq !== undefined && item.seq < (newest?.size ?? 0)
}

/** `waits`: for a checkpoint, or a run of checks. `unsealed`: made without the proof. */
export type Stage = 'waits' | 'announce' | 'seal' | 'unsealed'

export type MadeFile = LocalFile & { extension: string; row_count: number }

/** Members by which the export remembers its content, and the artifacts that commit to it. */
export type Announced = { kept: Partial<Export>; artifacts: readonly [Artifact, ...Artifact[]] }

export type Maker = {
  stage: (ctx: Context, item: Export) => Promise<Stage>
  /** Only of exports with the stage `announce`. `path`: where it may write. */
  announce?: (ctx: Context, item: Export, path: string) => Promise<Announced>
  /** Writes the file to the path. */
  make: (ctx: Context, item: Export, path: string, stage: Stage) => Promise<MadeFile>
  /** Once the file is there. */
  cleanUp?: (ctx: Context, item: Export) => Promise<void>
}

/** Loads only what the type of export needs. */
export type MakerOf = (type: Export['ask']['type']) => Promise<Maker>
