// Writes the archive for an audit, one member after the other, without the proofs. Nothing in memory grows with the window.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/env.ts'
import { catalogueHash, wholeCatalogue } from '../catalogue/catalogue.ts'
import type { AuditAsk } from '../exports/export.ts'
import { logFacts, originOf } from '../exports/pack/log.ts'
import type { ZipWriter } from '../exports/pack/zip.ts'
import { NOTICE } from '../frameworks/posture-view.ts'
import type { Population } from '../populations/population.ts'
import { Archive } from './archive.ts'
import { AUDIT, AUDIT_FORMAT, type AuditManifest } from './audit-manifest.ts'
import { checkReport } from './check-rows.ts'
import { Comparison } from './comparison.ts'
import { CONTROL_COLUMNS, controlRow } from './control-rows.ts'
import { csvDocument } from './csv.ts'
import { exportInfo } from './info.ts'
import { oscalOf } from './oscal-of.ts'
import { frameworkStanding, type FrameworkStanding } from './standing.ts'
import { headOf, writeChain } from './write-chain.ts'
import { writeChecks } from './write-checks.ts'
import { writeEvidence } from './write-evidence.ts'
import { writePopulations } from './write-populations.ts'
import { writeReport } from './write-report.ts'

const GENERATOR = 'countersign'

export type AuditPlan = {
  export_id: string
  /** Of the artifact that will hold the hash of the manifest. */
  artifact_id: string
  ask: AuditAsk
  /** When (ms) its content is fixed. */
  at: number
  /** Whether checkpoints cover the request. */
  signed: boolean
  populations: readonly Population[]
  /** An empty one, for files on the way. */
  folder: string
}

export async function writeAudit(ctx: Context, zip: Pick<ZipWriter, 'add'>, plan: AuditPlan) {
  const { ask, at, signed, populations, folder } = plan
  const window = { start_at: ask.start_at, end_at: ask.end_at }
  const origin = await originOf(ctx)
  const head = await headOf(ctx, origin, signed)
  const standing = await frameworkStanding(ctx, ask.framework_id, window)
  const facts = { ...factsOf(plan, standing, head), ...logFacts(ctx, origin) }
  const archive = new Archive(zip)
  const comparison = await Comparison.in(await made(folder, 'ids'), populations, window)

  await archive.add(AUDIT.info, [exportInfo(facts)])
  await archive.add(AUDIT.verifier, [await readFile(env('VERIFIER_FILE'), 'utf8')])
  const framework = standing.framework.id
  const evidence = await writeEvidence({ ...ask, ctx, archive, framework, window, now: at, folder })
  const rows = standing.controls.map((control) => controlRow(framework, control, window))
  await archive.add(AUDIT.controls, csvDocument(CONTROL_COLUMNS, rows))
  await writeChecks(archive, framework, standing.lines)
  const chain = { ctx, origin, window, size: head.size, at, included: ask.include_chain }
  const pack = await writeChain(chain, archive, comparison)
  const listed = await writePopulations({ ctx, archive, window, comparison, sample: facts.sample }, populations)
  await archive.add(AUDIT.catalogue, [canonicalJson(wholeCatalogue())])
  await archive.add(AUDIT.oscal, [`${JSON.stringify(oscalOf(plan.export_id, standing, facts), null, 2)}\n`])
  const { omissions } = archive
  const report = { ...facts, ...reportParts(standing, facts), evidence, populations: listed, omissions }
  await writeReport(archive, report, folder)
  const manifest: AuditManifest = { format: AUDIT_FORMAT, ...facts, omissions, files: [...archive.files] }
  const { sha256 } = await archive.add(AUDIT.manifest, [`${JSON.stringify(manifest, null, 2)}\n`])
  return { manifest_sha256: sha256, pack, row_count: standing.controls.length }
}

async function made(...parts: [string, ...string[]]): Promise<string> {
  const path = join(...parts)
  await mkdir(path)
  return path
}

function factsOf(
  { export_id, artifact_id, ask, at }: AuditPlan,
  standing: FrameworkStanding,
  head: AuditManifest['head'],
) {
  const { tenant, mode, framework, scope, last_run } = standing
  const { size, seed } = ask.sample
  return {
    export_id,
    artifact_id,
    tenant,
    mode,
    framework,
    catalogue_hash: catalogueHash(),
    scope,
    window: { start_at: ask.start_at, end_at: ask.end_at },
    as_of: last_run?.ended_at ?? null,
    run_id: last_run?.id ?? null,
    generated_at: iso(at),
    generator: GENERATOR,
    notice: NOTICE,
    head,
    sample: {
      size,
      seed: seed ?? head.last,
      seed_source: seed === undefined ? ('chain' as const) : ('given' as const),
    },
  }
}

const reportParts = (
  { posture, controls, lines }: FrameworkStanding,
  facts: { as_of: string | null; generated_at: string },
) => ({
  posture,
  controls,
  checks: lines.map(checkReport),
  as_of: facts.as_of ?? facts.generated_at,
})
