// Writes the files of submitted evidence, and their index: each piece, who submitted and decided on it, and whether its file is in
// the archive.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { controlKey, type FrameworkId } from '../catalogue/framework-ids.ts'
import type { Window } from '../exports/window.ts'
import { pagesOf } from '../../base/wire/page-of.ts'
import type { EvidenceReport } from '../report/report-input.ts'
import { fetchFile } from '../submissions/upload.ts'
import { evidenceOf } from '../submissions/submission-artifact.ts'
import { statusAt, type Submission, submissions, submittedPartition } from '../submissions/submission.ts'
import { type Archive, csvHead, csvRows, inCell } from './archive.ts'
import { AUDIT } from './manifest.ts'
import { safeName } from '../../base/lib/export-text.ts'
import type { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { isWithin } from '../populations/population.ts'

/** All files together. */
const BYTES_MAX = 2 * 2 ** 30

type Writing = {
  ctx: Context
  archive: Archive
  framework: FrameworkId
  window: Window
  now: number
  include_files: boolean
  /** For one file at a time. */
  folder: string
}

export async function writeEvidence(writing: Writing): Promise<EvidenceReport[]> {
  const { ctx, archive, framework, now, include_files } = writing
  const filed = new Map<string, Filed>()
  const reports: EvidenceReport[] = []
  const files = new Files(writing)
  for await (const page of submissionsOf(writing))
    for (const [submission, { evidence_status }] of await withStatus(ctx, page)) {
      const found = { ...(await files.add(submission)), evidence_status }
      filed.set(submission.id, found)
      reports.push(evidenceReport(submission, { framework, now, filed: found }))
    }
  if (!include_files) archive.omit({ path: 'evidence/files/', evidence_id: null, reason: 'not_requested' })
  await archive.add(AUDIT.evidence, index(writing, filed))
  return reports
}

async function withStatus(ctx: Context, page: readonly Submission[]) {
  const evidence = await evidenceOf(ctx, page)
  return page.flatMap((submission, at) => {
    const found = evidence[at]
    return found ? [[submission, found] as const] : []
  })
}

/** In the order of their submission. */
async function* submissionsOf({ ctx, framework }: Writing): AsyncGenerator<Submission[]> {
  const groups = [{ name: 'submitted', partitions: [submittedPartition(ctx.space)] }]
  for await (const page of pagesOf(ctx, { of: submissions, descending: false, groups }))
    yield page.filter((submission) => isAbout(submission, framework))
}

async function* index(writing: Writing, filed: ReadonlyMap<string, Filed>) {
  yield csvHead(EVIDENCE_COLUMNS)
  for await (const page of submissionsOf(writing)) {
    const known = page.flatMap((submission) => {
      const found = filed.get(submission.id) // none: it came in meanwhile
      return found ? [evidenceRow(submission, { ...writing, filed: found })] : []
    })
    yield csvRows(EVIDENCE_COLUMNS, known)
  }
}

type Added = Omit<Filed, 'evidence_status'>

/** One file after the other, as long as there is room. */
class Files {
  readonly #writing: Writing
  #bytes = 0

  constructor(writing: Writing) {
    this.#writing = writing
  }

  async add(submission: Submission): Promise<Added> {
    const { id, file, status } = submission
    if (!file || status === 'awaiting_upload' || !this.#writing.include_files) return { file_status: 'none' }
    const path = AUDIT.evidenceFile(id, safeName(file.name))
    if (this.#bytes + file.size > BYTES_MAX) return this.#without(submission, path, 'too_large')
    const local = join(this.#writing.folder, 'evidence')
    try {
      const fetched = await fetchFile(submission, file, local)
      if (fetched === 'fetched') await this.#writing.archive.addFile(path, local)
      else return this.#without(submission, path, fetched)
    } finally {
      await rm(local, { force: true })
    }
    this.#bytes += file.size
    return { file_status: 'included', path }
  }

  /** A file that differs from the submitted one counts as missing. */
  #without({ id }: Submission, path: string, reason: 'missing' | 'changed' | 'too_large'): Added {
    this.#writing.archive.omit({ path, evidence_id: id, reason })
    return { file_status: reason === 'too_large' ? reason : 'missing' }
  }
}

/** `path`: in the archive. `evidence_status`: whether the chain agrees with what is stored. */
type Filed = {
  file_status: EvidenceReport['file_status']
  path?: string
  evidence_status: RowEvidence['evidence_status']
}

const EVIDENCE_COLUMNS = [
  'id',
  'kind',
  'title',
  'source',
  'status',
  'control_ids',
  'collected_at',
  'covers_from',
  'covers_to',
  'submitted_by',
  'submitted_at',
  'decision',
  'decided_by',
  'decided_at',
  'self',
  'reason',
  'valid_until',
  'in_window',
  'artifact_id',
  'evidence_status',
  'sha256',
  'path',
  'file_status',
  'file_name',
] as const

const controlsOf = ({ control_refs }: Submission, framework: FrameworkId): string[] =>
  control_refs.flatMap(({ framework_id, control_id }) => (framework_id === framework ? control_id : []))

const isAbout = (submission: Submission, framework: FrameworkId): boolean =>
  controlsOf(submission, framework).length > 0

type Shown = { framework: FrameworkId; window: Window; now: number; filed: Filed }

/** A decision that the chain contradicts is left out. */
const decisionOf = ({ decision }: Submission, { evidence_status }: Filed) =>
  evidence_status === 'differs' ? undefined : decision

function evidenceRow(submission: Submission, { framework, window, now, filed }: Shown) {
  const decision = decisionOf(submission, filed)
  return {
    id: submission.id,
    kind: submission.kind,
    title: submission.title,
    source: submission.source,
    status: filed.evidence_status === 'differs' ? null : statusAt(submission, now),
    control_ids: inCell(controlsOf(submission, framework).map(controlKey)),
    collected_at: submission.collected_at,
    covers_from: submission.covers?.from,
    covers_to: submission.covers?.to,
    submitted_by: submission.submitted_by.id,
    submitted_at: submission.submitted_at,
    decision: decision?.decision,
    decided_by: decision?.by.id,
    decided_at: decision?.at,
    self: decision && decision.self === true,
    reason: decision?.reason,
    valid_until: decision?.valid_until ?? submission.valid_until,
    in_window: isWithin(submission.collected_at, window),
    artifact_id: submission.evidence_artifact_id,
    sha256: submission.file?.sha256,
    ...filed,
    file_name: submission.file?.name,
  }
}

const evidenceReport = (submission: Submission, { framework, now, filed }: Omit<Shown, 'window'>): EvidenceReport => ({
  id: submission.id,
  kind: submission.kind,
  title: submission.title,
  control_ids: controlsOf(submission, framework),
  collected_at: submission.collected_at,
  status: filed.evidence_status === 'differs' ? 'differs' : statusAt(submission, now),
  decision: decisionReport(decisionOf(submission, filed)),
  file_status: filed.file_status,
})

const decisionReport = (of: Submission['decision']): EvidenceReport['decision'] =>
  of ? { decision: of.decision, by: of.by.id, at: of.at, self: of.self === true } : null
