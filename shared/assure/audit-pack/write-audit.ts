// Writes the archive for an audit, one member after the other, without the proofs. Nothing in memory grows with the window.
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { env } from '../../base/lib/runtime.ts'
import { catalogueHash, wholeCatalogue } from '../catalogue/catalogue.ts'
import type { AuditAsk } from '../exports/export.ts'
import { logFacts, originOf } from '../exports/pack/log.ts'
import type { ZipWriter } from '../exports/pack/zip.ts'
import { NOTICE } from '../frameworks/control-view.ts'
import type { Population } from '../populations/population.ts'
import { Archive, csvDocument } from './archive.ts'
import { AUDIT, AUDIT_FORMAT, type AuditManifest } from './manifest.ts'
import {
  type CheckLine,
  checkReport,
  DAY_COLUMNS,
  dayRows,
  PERIOD_COLUMNS,
  periodRow,
  RESULT_COLUMNS,
  resultOf,
  resultRow,
} from './check-rows.ts'
import { Comparison } from './comparison.ts'
import { CONTROL_COLUMNS, controlRow, frameworkStatus, type FrameworkStatus } from './control-rows.ts'
import { oscalOf } from './oscal.ts'
import { headOf, writeChain } from './write-chain.ts'
import { writeEvidence } from './evidence.ts'
import { writePopulations } from './populations.ts'
import type { FrameworkId } from '../catalogue/framework-ids.ts'
import { reportHtml } from '../report/html.ts'
import { writePdf } from '../report/pdf.ts'
import { auditReport } from '../report/cover.ts'
import type { ReportInput } from '../report/report-input.ts'

const GENERATOR = 'countersign'

type AuditPlan = {
  export_id: string
  /** The artifact that will hold the hash of the manifest. */
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
  const standing = await frameworkStatus(ctx, ask.framework_id, window)
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
  standing: FrameworkStatus,
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
  { posture, controls, lines }: FrameworkStatus,
  facts: { as_of: string | null; generated_at: string },
) => ({
  posture,
  controls,
  checks: lines.map(checkReport),
  as_of: facts.as_of ?? facts.generated_at,
})

type Facts = Pick<
  AuditManifest,
  'export_id' | 'artifact_id' | 'tenant' | 'mode' | 'framework' | 'window' | 'generated_at' | 'notice' | 'verifier_keys'
>

/** The first page of an archive, for the person who opens it. */
const exportInfo = (facts: Facts): string => `${facts.framework.name}: records for an audit
${facts.tenant.name} (${facts.tenant.id}), ${facts.mode} mode
Window ${facts.window.start_at} to ${facts.window.end_at}
Export ${facts.export_id}, made ${facts.generated_at}

Begin with report.html or report.pdf. Everything that they show stands in the other files:

  controls.csv          each control with its status; for the standards of ISO the statement of applicability
  checks/               what the checks found last, on each day of the window, and how long they failed
  evidence/             what people submitted, who decided on it and why, and the files
  populations/          complete lists of the window, compared with the evidence chain (index.csv, differences.csv)
  samples/              samples of these lists, and how anybody draws the same ones (plan.json)
  oscal/                the assessment in OSCAL 1.2.1
  chain/                the evidence chain of the window, with its own README.txt
  catalogue.json        the controls and checks that were assessed
  manifest.json         the SHA-256 of every file

To check the archive you need Node 20 or newer, no network and no account. Unpack it into an empty folder:

  node verify.mjs .
  node verify.mjs .${facts.verifier_keys.map(({ verifier_key }) => ` --vkey '${verifier_key}'`).join('')}
  node verify.mjs chain --strict

Take the key of the second command from a source that you trust, not from this file, and prefer a verifier
that you have kept to the one in the archive. Exit status 0 means that no file was changed, removed or added
since the archive was made, and that the signed log of the service holds its hash. It does not mean that what
the service recorded is true, or that it recorded everything.

Where ${AUDIT.proof} is missing, the log could not be signed when the archive was made, and the
verifier ends with status 2. Fetch the proof later: GET /api/evidence/${facts.artifact_id}/proof.

Limits: ${facts.notice}
Lists hold ids and codes, no names and no payloads. Lists of people and keys show them as they stand now.
What was left out stands in manifest.json under "omissions", with the reason.
`

/** The findings of the checks: the last ones, and those of each day of the window. */
async function writeChecks(archive: Archive, framework: FrameworkId, lines: readonly CheckLine[]) {
  const rows = lines.map((line) => resultRow(framework, line))
  const results = lines.map((line) => resultOf(framework, line))
  await archive.add(`${AUDIT.results}.csv`, csvDocument(RESULT_COLUMNS, rows))
  await archive.add(`${AUDIT.results}.json`, [`${JSON.stringify(results, null, 2)}\n`])
  await archive.add(AUDIT.days, csvDocument(DAY_COLUMNS, lines.flatMap(dayRows)))
  await archive.add(AUDIT.periods, csvDocument(PERIOD_COLUMNS, lines.map(periodRow)))
}

/** The report for people, as HTML and PDF. */
async function writeReport(archive: Archive, input: ReportInput, folder: string): Promise<void> {
  const report = auditReport(input)
  await archive.add(AUDIT.html, [reportHtml(report)])
  const path = join(folder, 'report.pdf')
  const [regular, bold] = await Promise.all([readFile(env('FONT_FILE')), readFile(env('BOLD_FONT_FILE'))])
  await writePdf(report, path, { regular, bold })
  await archive.addFile(AUDIT.pdf, path)
}
