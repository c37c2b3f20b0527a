import type { Context } from '../../base/context.ts'
import { type Artifact, newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import type { Submission } from './submission.ts'

type Facts = Pick<Submission, 'id' | 'kind' | 'source' | 'control_refs' | 'file' | 'artifact_id'>
type Move = `compliance.evidence.${'announced' | 'rejected' | 'submitted'}`

/** The artifact of a change of status at `at` (ms): codes, ids and hashes, but no text that a person wrote. */
export function submissionArtifact(ctx: Context, type: Move, facts: Facts, at: number): Artifact {
  const { id, kind, source, control_refs, file, artifact_id } = facts
  const artifact = newArtifact(ctx, {
    type,
    subject: { type: 'submitted_evidence', id },
    data: {
      kind,
      source,
      control_refs,
      ...(file && { sha256: file.sha256, size: file.size }),
      ...(artifact_id !== undefined && { artifact_id }),
    },
    at,
  })
  return artifact
}
