// Makes the archive for an audit in two steps. Its content is written once, kept as a draft, and announced in the chain; when a
// checkpoint covers that, the proofs are added to the draft. So a run that dies in between writes nothing twice, and the archive
// is the one that the chain names.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { provenArtifact } from '../../ledger/evidence/checkpoint/prove.ts'
import { askOf, type Export, fileKey } from '../exports/export.ts'
import { type Announced, isSigned, type MadeFile, type Maker, type Stage } from '../exports/pack/stage.ts'
import { fetchMade, removeFile, storeFile } from '../../base/aws/files.ts'
import { ZipWriter } from '../exports/pack/zip.ts'
import type { Population } from '../populations/population.ts'
import { AUDIT } from './manifest.ts'
import { auditStage } from './request-audit.ts'
import { writeAudit } from './write-audit.ts'

const TYPE = 'application/zip'

export const auditMaker = (populations: readonly Population[]): Maker => ({
  stage: auditStage,
  announce: (ctx, item, path) => announceDraft(ctx, item, path, populations),
  make: finishDraft,
  cleanUp: async (_, { draft }) => {
    if (draft) await removeFile(draft.key)
  },
})

async function announceDraft(
  ctx: Context,
  item: Export,
  path: string,
  populations: readonly Population[],
): Promise<Announced> {
  const [at, artifact_id] = [ctx.now(), ctx.id('art')]
  const signed = await isSigned(ctx, item.artifact.id)
  const plan = { export_id: item.id, artifact_id, ask: askOf(item, 'compliance'), at, signed, populations }
  const { result, ...file } = await zipped(await ZipWriter.create(path, at), (zip) =>
    inFolder((folder) => writeAudit(ctx, zip, { ...plan, folder })),
  )
  const { manifest_sha256, pack, row_count } = result
  const key = fileKey(ctx.space, item.id, 'draft')
  await storeFile(key, { path, type: TYPE, ...file })
  const draft = { key, at: ctx.now(), artifact_id, row_count }
  const exported = {
    ...about(item),
    type: 'compliance.exported' as const,
    data: { export_id: item.id, framework_id: plan.ask.framework_id, manifest_sha256 },
    artifact_id,
    at,
  }
  if (!pack) return { kept: { draft }, artifacts: newArtifacts(ctx, exported) }
  const data = { export_id: item.id, ...pack }
  const artifacts = newArtifacts(ctx, exported, { ...about(item), type: 'evidence.pack.made', data, at })
  return { kept: { draft: { ...draft, pack_artifact_id: artifacts[1].artifact_id } }, artifacts }
}

const about = ({ id }: Export) => ({ subject: { type: 'export', id } })

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Without the proofs where the announcement is not signed: the verifier says so. */
async function finishDraft(ctx: Context, { draft }: Export, path: string, stage: Stage): Promise<MadeFile> {
  if (!draft) throw new Error('an archive without a draft')
  await fetchMade(draft.key, path)
  const { result: _, ...file } = await zipped(await ZipWriter.reopen(path), async (zip) => {
    if (stage !== 'seal') return
    const add = async (name: string, id: string) =>
      zip.add(name, [`${JSON.stringify(await provenArtifact(ctx, id))}\n`])
    if (draft.pack_artifact_id) await add(`${AUDIT.chain}${AUDIT.proof}`, draft.pack_artifact_id)
    await add(AUDIT.proof, draft.artifact_id)
  })
  return { path, ...file, type: TYPE, extension: 'zip', row_count: draft.row_count }
}

async function zipped<T>(zip: ZipWriter, write: (zip: ZipWriter) => Promise<T>) {
  try {
    const result = await write(zip)
    return { result, ...(await zip.finish()) }
  } finally {
    await zip.close()
  }
}
