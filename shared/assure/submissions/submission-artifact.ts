// The evidence of submissions: the artifact of each change of status, and the comparison of stored pieces with it.
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { type Submission, SUBMISSION_STATES, submissions, type SubmissionStatus } from './submission.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Context } from '../../base/context.ts'
import { artifactKey, artifacts, readable, ulidOf } from '../../ledger/evidence/artifact/artifact.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { alarmDiffering, type RowEvidence, rowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'

/** By the status that it states. */
export const ARTIFACT_OF = {
  awaiting_upload: 'compliance.evidence.announced',
  submitted: 'compliance.evidence.submitted',
  accepted: 'compliance.evidence.accepted',
  rejected: 'compliance.evidence.rejected',
  expired: 'compliance.evidence.expired',
  superseded: 'compliance.evidence.superseded',
} as const satisfies Record<SubmissionStatus, string>

export const subjectOf = ({ id }: Pick<Submission, 'id'>) => ({ type: 'submitted_evidence', id })

/** Codes, ids and hashes, but no text that a person wrote: the state commits to that. */
export function artifactData(submission: Stated): NonNullable<Header['data']> {
  const { kind, source, control_refs, file, artifact_id, decision } = submission
  return {
    kind,
    source,
    control_refs,
    ...(file && { sha256: file.sha256, size: file.size }),
    ...(artifact_id !== undefined && { artifact_id }),
    ...(decision?.self && { self: true }),
    ...(decision?.raised_by && { raised_by: decision.raised_by }),
    ...(decision?.valid_until !== undefined && { valid_until: decision.valid_until }),
    state: stateOf(submission),
  }
}

/** A decision is no move of these: its artifact goes with an entry of the audit log (decision-parts.ts). `at`: ms. */
export const {
  begin: beginSubmission,
  move: moveSubmission,
  touch: touchSubmission,
} = lifecycle(submissions, SUBMISSION_STATES, {
  named: ({ artifact_id }) => ({ evidence_artifact_id: artifact_id }),
  facts: (next, _was, at: number | undefined) => ({
    type: ARTIFACT_OF[next.status],
    subject: subjectOf(next),
    data: artifactData(next),
    at,
  }),
})

/** A submission that does not name its newest artifact yet. */
type Stated = Omit<Submission, 'evidence_artifact_id'> & { evidence_artifact_id?: string; _v?: number }

/**
 * Commitment to the content of a submission and to the decision on it (hex), for its artifacts. The salt keeps texts of people
 * from being guessed. It leaves out the artifact that holds it, and the mark of unfinished work.
 */
function stateOf(submission: Stated): string {
  const { salt, evidence_artifact_id, unsettled, _v, ...facts } = submission
  return hex(payloadCommitment(Buffer.from(salt, 'hex'), facts))
}

/**
 * Compares submissions with their evidence, in their order: somebody with access to the table could accept a piece there, or change
 * it after the decision, but the chain would not prove it. A difference raises an alarm.
 */
export async function evidenceOf(ctx: Context, all: readonly Submission[]): Promise<RowEvidence[]> {
  const keys = all.map(({ evidence_artifact_id }) => artifactKey(ctx.space, evidence_artifact_id))
  const found = await ctx.table.read(readable(artifacts), keys)
  const items = new Map(found.flatMap((item) => (item ? [[item.sk, item]] : [])))
  const rows = all.map((submission) => {
    const item = items.get(ulidOf(submission.evidence_artifact_id))
    const header = item && readHeader(item.header)
    return {
      referenced: [{ item, header: header && isAbout(header, submission) ? header : undefined }],
      contradictions: ([stated]: readonly Partial<Header>[]) =>
        stated?.data?.state === stateOf(submission) ? [] : ['state'],
    }
  })
  const evidence = await rowEvidence(ctx, rows)
  for (const [index, { id }] of all.entries()) alarmDiffering(id, evidence[index])
  return evidence
}

const isAbout = ({ type, subject, artifact_id }: Partial<Header>, submission: Submission): boolean =>
  type === ARTIFACT_OF[submission.status] &&
  subject?.type === subjectOf(submission).type &&
  subject.id === submission.id &&
  artifact_id === submission.evidence_artifact_id

/** Those that the chain proves, or will as soon as it has caught up. */
export async function proven<S extends Submission>(ctx: Context, all: readonly S[]): Promise<S[]> {
  const evidence = await evidenceOf(ctx, all)
  return all.filter((_, index) => evidence[index] !== undefined && evidence[index].evidence_status !== 'differs')
}
