// The index of submitted evidence: what was said, by whom, who decided on it, and whether its file is here.
import { controlKey, type FrameworkId } from '../catalogue/framework-ids.ts'
import type { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import type { Window } from '../exports/window.ts'
import { isWithin } from '../populations/population.ts'
import type { EvidenceReport } from '../report/report-input.ts'
import { type Submission, statusAt } from '../submissions/submission.ts'
import { inCell } from './csv.ts'

/** `path`: in the archive. `evidence_status`: whether the chain agrees with what is stored. */
export type Filed = {
  file_status: EvidenceReport['file_status']
  path?: string
  evidence_status: RowEvidence['evidence_status']
}

export const EVIDENCE_COLUMNS = [
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

export const isAbout = (submission: Submission, framework: FrameworkId): boolean =>
  controlsOf(submission, framework).length > 0

type Shown = { framework: FrameworkId; window: Window; now: number; filed: Filed }

/** What the chain contradicts is left out. */
const decisionOf = ({ decision }: Submission, { evidence_status }: Filed) =>
  evidence_status === 'differs' ? undefined : decision

export function evidenceRow(submission: Submission, { framework, window, now, filed }: Shown) {
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

export const evidenceReport = (
  submission: Submission,
  { framework, now, filed }: Omit<Shown, 'window'>,
): EvidenceReport => ({
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
