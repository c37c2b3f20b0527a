import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Submission } from './submission.ts'

/** A submission that does not name its newest artifact yet. */
export type Stated = Omit<Submission, 'evidence_artifact_id'> & { evidence_artifact_id?: string; _v?: number }

/**
 * Commitment to all that a submission says, and to what was decided on it (hex), for its artifacts. The salt keeps what people
 * write from being guessed. Left out are the artifact that holds it, and what the service has still to do.
 */
export function stateOf(submission: Stated): string {
  const { salt, evidence_artifact_id, unsettled, _v, ...facts } = submission
  return hex(payloadCommitment(Buffer.from(salt, 'hex'), facts))
}
