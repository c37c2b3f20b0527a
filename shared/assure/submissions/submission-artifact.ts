import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { type Stated, stateOf } from './state-of.ts'
import { type Submission, SUBMISSION_STATES, submissions, type SubmissionStatus } from './submission.ts'

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
