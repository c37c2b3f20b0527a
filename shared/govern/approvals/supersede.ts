// Ends an approval that no longer fits. An action with a different decision is held again, never with a lower tier. An action
// that is now forbidden, or is not the requested one, is refused.
import type { Context } from '../../base/context.ts'
import type { Decided } from '../executions/reevaluate.ts'
import { packEvaluations } from '../executions/evaluations.ts'
import { heldEvent, type Refusal, rejectionOf } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readEventFacts } from '../executions/sealed/open-execution.ts'
import { transition } from '../executions/store.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Approval, approvals } from './approval.ts'
import type { ApprovedAction, ClaimRefusal } from './binding.ts'
import { approvalFacts, heldView, newApproval } from './hold.ts'
import { endHeld, replaceApproval } from './end.ts'

/**
 * Ends the approval in favour of one under the present decision, whose id it returns; earlier votes do not count for that one. Undefined
 * if the action is refused instead. A concurrent vote or claim lets the commit fail with a 409.
 */
export async function supersede(
  ctx: Context,
  binding: ApprovedAction,
  refusal: ClaimRefusal,
): Promise<string | undefined> {
  if ('again' in refusal) return renew(ctx, binding, refusal.again)
  await endRefused(ctx, binding, refusal.refusal)
  return undefined
}

/** Cancels an approval that was already given, rejects a pending one. */
async function endRefused(ctx: Context, { held, execution }: ApprovedAction, refusal: Refusal): Promise<void> {
  const status = held.status === 'approved' ? 'cancelled' : 'rejected'
  const reason = refusal.message
  const ended: Approval = { ...held, status, method: 'policy', decided_at: iso(ctx.now()), reason }
  await endHeld(ctx, held, ended, execution, {
    status: 'rejected',
    artifact: status === 'cancelled' ? 'approval.cancelled' : 'approval.rejected',
    by: `policy:${refusal.policy_id}`,
    method: 'policy',
    reason,
    rejection: rejectionOf(refusal),
  })
}

async function renew(
  ctx: Context,
  { governance, held, execution: was }: ApprovedAction,
  again: Decided,
): Promise<string> {
  const { action, decision } = again
  const renewed: Execution = {
    ...was,
    first: was.first ?? firstOf(was),
    status: 'pending_approval',
    lease_until: undefined,
    version: action.node.version,
    manifest_sha256: action.manifest_sha256,
    policy_set_version: governance.policy_set_version,
    routing: JSON.stringify(decision.routing_decision),
    evaluations: packEvaluations(decision.policy_evaluations),
  }
  const successor = newApproval(ctx, renewed, { ...again, repeat_key: held.repeat_key })
  const cancelled: Approval = { ...held, status: 'cancelled', method: 'cancelled', superseded_by: successor.id }
  const { writes } = transition(ctx, was, { ...renewed, held: heldView(successor) }, [
    {
      facts: { type: 'approval.cancelled', approval: approvalFacts(cancelled) },
      events: (stored) => [heldEvent(readEventFacts(stored), successor)],
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, cancelled, held), approvals.insert(successor)])
  return successor.id
}

/** The decision of the first answer, kept before another one takes its place. */
export const firstOf = ({
  version,
  routing,
  evaluations,
  policy_set_version,
  held,
}: Execution): Execution['first'] => ({
  version,
  routing,
  evaluations,
  policy_set_version,
  held,
})
