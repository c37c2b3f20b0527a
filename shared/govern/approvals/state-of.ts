import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import type { Approval } from './approval.ts'

/**
 * Commits to everything that an approval says at the moment (hex), for its artifacts: votes, reasons and times as well. The
 * salt keeps reasons, which people write, from being guessed. `consumed_at` is told by the artifact of what was run.
 */
export function stateOf(approval: Approval & { _v?: number }): string | undefined {
  const { salt, consumed_at: _, _v, ...facts } = approval
  return salt === undefined ? undefined : hex(payloadCommitment(Buffer.from(salt, 'hex'), facts))
}
