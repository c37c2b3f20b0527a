// The commitment to an approval that its artifacts state.
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Approval } from './approval.ts'

/**
 * Commitment to the whole approval (hex), votes, reasons and times included, for its artifacts. The salt keeps reasons, which
 * people write, from being guessed. Left out are `consumed_at` and breaches of the SLA, which other artifacts state, and the
 * task, which is only a reference.
 */
export function stateOf(approval: Approval & { _v?: number }): string | undefined {
  const { salt, consumed_at, sla, task_id, _v, ...facts } = approval
  return salt === undefined ? undefined : hex(payloadCommitment(Buffer.from(salt, 'hex'), facts))
}
