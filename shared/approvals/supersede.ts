// An approval is bound to one manifest version, one policy set and one payload. When any of them is no longer the same,
// it dies, and the action is decided again: never looser than held.
import type { Context } from '../context.ts'
import type { Opened } from '../executions/answer.ts'
import { decideAgain } from '../executions/decide.ts'
import { packEvaluations } from '../executions/evaluations.ts'
import { heldEvent } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readTold } from '../executions/open.ts'
import { transition } from '../executions/store.ts'
import { hex, payloadCommitment } from '../evidence/hashes.ts'
import { iso } from '../lib/clock.ts'
import { alarm } from '../lib/log.ts'
import { type Approval, approvals } from './approval.ts'
import { approvalFacts, digestOf, heldView, newApproval } from './hold.ts'
import type { VoteInputs } from './inputs.ts'
import { endHeld } from './reject-held.ts'
import { replaceApproval } from './store-vote.ts'

export type Binding = VoteInputs & { opened: Opened; salt: Uint8Array | undefined }

/** Why the approval no longer fits the action; undefined when it does. */
export function bindingLost({ governance, held, execution, action, opened, salt }: Binding): string | undefined {
  if (!opened.payload || !salt) return 'the payload was erased'
  const commitment = hex(payloadCommitment(salt, opened.payload))
  if (digestOf(execution, commitment) !== held.action_digest) {
    alarm('approval_digest_mismatch', 'stored action differs from its digest', { approval: held.id })
    return 'the stored action is not the one that was asked for'
  }
  if (governance.policy_set_version !== held.policy_set_version) return 'the policies changed'
  return action?.manifest_sha256 === execution.manifest_sha256 ? undefined : 'the manifest changed'
}

/** Ends the approval. Answers the id of its successor, or undefined when the action is refused now. */
export async function supersede(ctx: Context, binding: Binding): Promise<string | undefined> {
  const { held, execution } = binding
  const again = await decideAgain(ctx, binding, binding.opened.payload)
  if (!again || again.decision.outcome === 'reject') {
    const message = again?.decision.rejection?.message ?? 'the action no longer exists'
    const rejected: Approval = {
      ...held,
      status: 'rejected',
      method: 'policy',
      decided_at: iso(ctx.now()),
      reason: message,
    }
    // An approval that was already given is withdrawn, one that was waiting is rejected.
    const ended: Approval = held.status === 'approved' ? { ...rejected, status: 'cancelled' } : rejected
    const by = `policy:${again?.decision.rejection?.policy_id ?? 'manifest'}`
    const artifact = ended.status === 'cancelled' ? 'approval.cancelled' : 'approval.rejected'
    await endHeld(ctx, held, ended, execution, { status: 'rejected', artifact, by, method: 'policy', reason: message })
    return undefined
  }
  const { action, decision, policy_set_version } = again
  const renewed: Execution = {
    ...execution,
    status: 'pending_approval',
    lease_until: undefined,
    version: action.node.version,
    manifest_sha256: action.manifest_sha256,
    policy_set_version,
    routing: JSON.stringify(decision.routing_decision),
    evaluations: packEvaluations(decision.policy_evaluations),
  }
  const successor = newApproval(ctx, renewed, decision)
  const cancelled: Approval = { ...held, status: 'cancelled', method: 'cancelled', superseded_by: successor.id }
  const next: Execution = { ...renewed, held: heldView(successor) }
  const { writes } = transition(ctx, execution, next, [
    {
      facts: { type: 'approval.cancelled', approval: approvalFacts(cancelled) },
      events: (stored) => [heldEvent(readTold(stored), successor.policy_ids)],
    },
  ])
  await ctx.table.commit([...writes, replaceApproval(cancelled, held), approvals.insert(successor)])
  return successor.id
}
