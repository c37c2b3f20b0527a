import type { Context } from '../../base/context.ts'
import { heldEvent } from '../executions/events.ts'
import type { Execution } from '../executions/execution.ts'
import { readEventFacts } from '../executions/open-execution.ts'
import { transition } from '../executions/store.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { Following, Stored, Write } from '../../base/table/entity.ts'
import { follow } from '../tasks/follow.ts'
import { FOLLOWS } from '../tasks/states.ts'
import { type Approval, approvals } from './approval.ts'
import { approvalFacts } from './hold.ts'

/** The writes of an approval after a vote, and of its task. Throws 409 when somebody else has voted in the meantime. */
export const replaceApproval = (ctx: Context, next: Approval, was: Stored<Approval>): (Write | Following)[] => [
  approvals.replace(next, was, conflict('Somebody else has voted in the meantime. Read the approval again.')),
  ...(next.task_id === undefined || next.status === was.status
    ? []
    : [follow(ctx, next.task_id, FOLLOWS.approval[next.status])]),
]

/** The voters whose votes no longer count, for the artifact of a step. */
export function lapsedData({ votes }: Approval): { data?: { lapsed_votes: string[] } } {
  const lapsed_votes = votes.filter(({ lapsed }) => lapsed).map(({ by }) => by.id)
  return lapsed_votes.length > 0 ? { data: { lapsed_votes } } : {}
}

/** Records a vote that does not decide, while `stays` hold. When another stage opens, its approvers are notified. */
export async function storeVote(
  ctx: Context,
  held: Stored<Approval>,
  approval: Approval,
  execution: Stored<Execution>,
  stays: readonly Write[],
): Promise<void> {
  const nextStage = approval.stage !== held.stage
  const { writes } = transition(ctx, execution, execution, [
    {
      facts: { type: 'approval.voted', approval: approvalFacts(approval, 'approve'), ...lapsedData(approval) },
      events: (stored) => (nextStage ? [heldEvent(readEventFacts(stored), approval)] : []),
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...stays], approval.id)
}
