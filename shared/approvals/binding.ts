// An approval is bound to one manifest version, one policy set, one requester and one payload, by its digest.
import type { OpenExecution } from '../executions/open.ts'
import { hex, payloadCommitment } from '../evidence/hashes.ts'
import { alarm } from '../lib/log.ts'
import { digestOf } from './digest.ts'
import type { VoteInputs } from './inputs.ts'

/** An approval with what it is bound to, as all of that stands now. */
export type Binding = VoteInputs & Omit<OpenExecution, 'execution'>

/** Why an approval does not fit the action any more. `final`: the action itself is no longer what was asked for. */
export type Breach = { reason: string; final: boolean }

export function breachOf({ governance, held, execution, action, opened, salt }: Binding): Breach | undefined {
  if (!opened.payload || !salt) return { reason: 'the payload was erased', final: true }
  const commitment = hex(payloadCommitment(salt, opened.payload))
  if (digestOf(execution, commitment) !== held.action_digest) {
    alarm('approval_digest_mismatch', 'stored action differs from its digest', { approval: held.id })
    return { reason: 'the stored action is not the one that was asked for', final: true }
  }
  if (governance.policy_set_version !== held.policy_set_version) return { reason: 'the policies changed', final: false }
  const same = action?.manifest_sha256 === execution.manifest_sha256
  return same ? undefined : { reason: 'the manifest changed', final: false }
}
