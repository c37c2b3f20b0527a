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
import { counts } from './rules.ts'

/** The writes of an approval after a vote, and of its task. Throws 409 when somebody else has voted in the meantime. */
export const replaceApproval = (ctx: Context, next: Approval, was: Stored<Approval>): (Write | Following)[] => [
  approvals.replace(next, was, conflict('Somebody else has voted in the meantime. Read the approval again.')),
  ...(next.task_id === undefined || next.status === was.status
    ? []
    : [follow(ctx, next.task_id, FOLLOWS.approval[next.status])]),
]

type VotesData = { lapsed_votes?: string[]; raised_votes?: { id: string; raised_by: string[] }[] }

/** For the artifact of a step: whose votes no longer count, and whose count although a requester stands behind them. */
export function votesData({ votes }: Approval): { data?: VotesData } {
  const lapsed_votes = votes.filter(({ lapsed }) => lapsed).map(({ by }) => by.id)
  const raised_votes = votes
    .filter(counts)
    .flatMap(({ by, raised_by }) => (raised_by ? [{ id: by.id, raised_by }] : []))
  const data = { ...(lapsed_votes.length > 0 && { lapsed_votes }), ...(raised_votes.length > 0 && { raised_votes }) }
  return Object.keys(data).length > 0 ? { data } : {}
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
      facts: { type: 'approval.voted', approval: approvalFacts(approval, 'approve'), ...votesData(approval) },
      events: (stored) => (nextStage ? [heldEvent(readEventFacts(stored), approval)] : []),
    },
  ])
  await ctx.table.commit([...writes, ...replaceApproval(ctx, approval, held), ...stays], approval.id)
}
