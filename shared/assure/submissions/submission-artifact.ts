import type { Context } from '../../base/context.ts'
import { type Artifact, newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { type Stated, stateOf } from './state-of.ts'
import type { Submission, SubmissionStatus } from './submission.ts'

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

/** The artifact of a change of status at `at` (ms), and the submission that names it. */
export function stated(ctx: Context, next: Stated, at: number): { artifact: Artifact; submission: Submission } {
  const facts = { type: ARTIFACT_OF[next.status], subject: subjectOf(next), data: artifactData(next), at }
  const artifact = newArtifact(ctx, facts)
  return { artifact, submission: { ...next, evidence_artifact_id: artifact.artifact_id } }
}
