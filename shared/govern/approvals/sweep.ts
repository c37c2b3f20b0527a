import type { Context } from '../../base/context.ts'
import { heldEvent } from '../executions/events.ts'
import { findExecution, readEventFacts } from '../executions/open-execution.ts'
import { transition } from '../executions/store.ts'
import { iso } from '../../base/lib/clock.ts'
import type { RaiseLate } from '../../base/ports/raise-late.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals } from './approval.ts'
import { expireApproval } from './expire.ts'
import { approvalFacts } from './hold.ts'
import { replaceApproval } from './store-vote.ts'
import { sweepApprovalSla } from './sweep-sla.ts'

/** Does what is due on an approval: its expiry, its escalation, its SLA. */
export async function sweepApproval(ctx: Context, id: string, raiseLate: RaiseLate): Promise<void> {
  await retryWhenOvertaken(async () => {
    while (await sweepNext(ctx, id, raiseLate));
  })
}

/** Does what is due first; false when nothing is left. */
async function sweepNext(ctx: Context, id: string, raiseLate: RaiseLate): Promise<boolean> {
  const held = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!held) return false
  const now = iso(ctx.now())
  const isPending = held.status === 'pending'
  if (isPending && now >= held.expires_at) await expireApproval(ctx, held, await findExecution(ctx, held.request_id))
  else if (isPending && held.escalate_at && now >= held.escalate_at) await escalate(ctx, held)
  else return sweepApprovalSla(ctx, held, raiseLate)
  return true
}

/** Adds the groups of the escalation to the open stage, once. The requester still may not vote. */
async function escalate(ctx: Context, held: Stored<Approval>): Promise<void> {
  const groups = held.escalate_to ?? []
  const stages = held.stages.map((stage, index) =>
    index === held.stage ? { ...stage, groups: [...new Set([...stage.groups, ...groups])] } : stage,
  )
  const approval: Approval = { ...held, stages, escalated_to: groups, escalate_at: undefined }
  const execution = await findExecution(ctx, held.request_id)
  const { writes } = transition(ctx, execution, execution, [
    {
      facts: { type: 'approval.escalated', approval: approvalFacts(approval) },
      events: (stored) => [heldEvent(readEventFacts(stored), approval, true)],
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held)])
}
