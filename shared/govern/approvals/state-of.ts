import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Approval } from './approval.ts'

/**
 * Commits to everything that an approval says at the moment (hex), for its artifacts: votes, reasons and times as well. The
 * salt keeps reasons, which people write, from being guessed. `consumed_at` is told by the artifact of what was run, what was
 * late by artifacts of its own, and the task is only a reference.
 */
export function stateOf(approval: Approval & { _v?: number }): string | undefined {
  const { salt, consumed_at, sla, task_id, _v, ...facts } = approval
  return salt === undefined ? undefined : hex(payloadCommitment(Buffer.from(salt, 'hex'), facts))
}
