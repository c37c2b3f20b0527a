// Ends held actions without running them.
import type { Context } from '../../base/context.ts'
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'
import { withoutEffect } from '../executions/built-in-effects.ts'
import { conducted, isViolation } from '../executions/conduct.ts'
import { rejectedEvent, type Rejection } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readEventFacts } from '../executions/open-execution.ts'
import { type Refusal, rejectionOf } from '../executions/rejection.ts'
import { settleUndoOf } from '../executions/settle-undo-of.ts'
import { transition } from '../executions/store.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { Approval } from './approval.ts'
import { deciderOf } from './approval-for-target.ts'
import { approvalFacts } from './hold.ts'
import { ended, judged } from './measures.ts'
import { replaceApproval } from './store-vote.ts'

/** After a rejecting vote, while `stays` hold. */
export const rejectHeld = (
  ctx: Context,
  held: Stored<Approval>,
  approval: Approval,
  execution: Stored<Execution>,
  stays: readonly Write[],
) =>
  endHeld(ctx, held, approval, execution, {
    status: 'rejected',
    artifact: 'approval.rejected',
    by: deciderOf(approval),
    method: 'manual',
    reason: approval.reason ?? 'rejected by a reviewer',
    ref: approval.id,
    stays,
  })

export type End = {
  status: 'rejected' | 'expired' | 'cancelled'
  artifact: ArtifactType
  by: string
  method: Rejection['method']
  reason: string
  /** The policy or rule that refused it. */
  rejection?: Execution['rejection']
  /** Id of the approval, when the request asked for exactly this. */
  ref?: string
  /** Let the commit fail when they no longer hold. */
  stays?: readonly Write[]
}

/** Commits approval and execution in their final states, after which the action can never run. */
export async function endHeld(
  ctx: Context,
  held: Stored<Approval>,
  approval: Approval,
  was: Stored<Execution>,
  { status, artifact, by, method, reason, rejection, ref, stays = [] }: End,
): Promise<Stored<Execution>> {
  const next: Execution = { ...was, status, rejection, lease_until: undefined }
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: { type: artifact, approval: approvalFacts(approval, method === 'manual' ? 'reject' : undefined) },
      events: (stored) => [rejectedEvent(readEventFacts(stored), { approval_id: approval.id, by, method, reason })],
      measures: [
        ...(held.status === 'pending' ? [ended(approval, status, ctx.now())] : []), // once only
        ...(held.status === 'pending' && method === 'manual' ? judged(was, false) : []),
        ...conductOf(was, approval, { method, rejection }),
      ],
    },
  ])
  const effects = withoutEffect(ctx, execution)
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...effects, ...stays], ref)
  await settleUndoOf(ctx, execution)
  return execution
}

/** Somebody else's rejection counts against the requester, and so does breaking a rule; time that ran out does not. */
function conductOf(was: Execution, { votes }: Approval, { method, rejection }: Pick<End, 'method' | 'rejection'>) {
  if (rejection && isViolation(rejection)) return conducted(was, 'violations')
  return method === 'manual' && !votes.at(-1)?.self ? conducted(was, 'rejected') : []
}

/** Rejects an execution that is stored as approved but has no approval. */
export async function rejectUnapproved(ctx: Context, was: Stored<Execution>, refusal: Refusal): Promise<void> {
  alarm('approval_without_evidence', refusal.message, { execution: was.id })
  const next: Execution = { ...was, status: 'rejected', rejection: rejectionOf(refusal), lease_until: undefined }
  const rejection = {
    approval_id: null,
    by: `policy:${refusal.policy_id}`,
    method: 'policy',
    reason: refusal.message,
  } as const
  const { execution, writes } = transition(ctx, was, next, [
    { facts: { type: 'action.rejected' }, events: (stored) => [rejectedEvent(readEventFacts(stored), rejection)] },
  ])
  await ctx.table.commit([...writes, ...withoutEffect(ctx, execution)])
}
