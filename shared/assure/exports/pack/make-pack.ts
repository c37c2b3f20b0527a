import type { Context } from '../../../base/context.ts'
import { headKey, heads } from '../../../ledger/evidence/chain/chain.ts'
import { provenArtifact } from '../../../ledger/evidence/checkpoint/prove.ts'
import { newestCheckpoints } from '../../../ledger/evidence/chain/read-chain.ts'
import { conflict } from '../../../base/lib/failure.ts'
import { newArtifact } from '../../../ledger/evidence/artifact/artifact.ts'
import { askOf, type Export, type PackAsk, type PackPlan } from '../export.ts'
import { type MadeFile, type Maker, packStage, type Stage } from './stage.ts'
import { PACK } from './pack.ts'
import { planPack, writePack } from './write-pack.ts'
import { ZipWriter } from './zip.ts'

/** A pack of the chain: announced by the hash of its manifest, then written again with the proof of that. */
export const packMaker: Maker = {
  stage: packStage,
  announce: async (ctx, item, path) => {
    const { from, to, at, ...draft } = await draftPack(ctx, askOf(item, 'evidence'), path)
    const data = { export_id: item.id, from, to, manifest_sha256: draft.manifest_sha256 }
    const subject = { type: 'export', id: item.id }
    const artifact = newArtifact(ctx, { type: 'evidence.pack.made', subject, data, at })
    return { kept: { pack: { ...draft, from, to, at, artifact_id: artifact.artifact_id } }, artifacts: [artifact] }
  },
  make: (ctx, item, path, stage) => makePack(ctx, { ask: askOf(item, 'evidence'), pack: item.pack }, path, stage),
}

/** Writes the requested file to a local path. */
export async function makePack(
  ctx: Context,
  { ask, pack }: { ask: PackAsk; pack?: Export['pack'] },
  path: string,
  stage: Stage,
): Promise<MadeFile> {
  const plan = pack ?? (await planWhole(ctx, ask))
  const { size_bytes, sha256 } = await written(path, plan, async (zip) => {
    const manifest = await writePack(ctx, zip, plan)
    if (stage !== 'seal' || !pack) return
    if (manifest.sha256 !== pack.manifest_sha256) throw changed()
    await zip.add(PACK.proof, [`${JSON.stringify(await provenArtifact(ctx, pack.artifact_id))}\n`])
  })
  return { path, size_bytes, sha256, type: 'application/zip', extension: 'zip', row_count: plan.to - plan.from }
}

const changed = () => conflict('The evidence changed while the export was made. Request it again.')

export type Draft = PackPlan & { manifest_sha256: string }

/** Fixes the content of a pack: the signed part of the range. The file written to the path is not used further. */
export async function draftPack(ctx: Context, ask: PackAsk, path: string): Promise<Draft> {
  const [newest] = await newestCheckpoints(ctx, 1)
  const plan = await planPack(ctx, ask, newest?.size ?? 0)
  const { made } = await written(path, plan, (zip) => writePack(ctx, zip, plan))
  return { ...plan, manifest_sha256: made.sha256 }
}

/** The content of a pack of a chain that is not being signed. It includes artifacts that no checkpoint covers. */
const planWhole = async (ctx: Context, ask: PackAsk): Promise<PackPlan> =>
  planPack(ctx, ask, (await ctx.table.get(heads, headKey(ctx.space)))?.size ?? 0)

async function written<T>(path: string, { at }: PackPlan, write: (zip: ZipWriter) => Promise<T>) {
  const zip = await ZipWriter.create(path, at)
  try {
    const made = await write(zip)
    return { made, ...(await zip.finish()) }
  } finally {
    await zip.close()
  }
}
