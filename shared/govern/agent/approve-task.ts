// Approves the task of an agent's command: a vote like any other, by the id of the task.
import * as z from 'zod'
import { approvals } from '../approvals/approval.ts'
import { castVote, DecisionBody, type Voted } from '../approvals/votes/vote.ts'
import { loadVoteInputs, type VoteInputs } from '../approvals/inputs.ts'
import type { Context, Space } from '../../base/context.ts'
import { executions } from '../executions/execution.ts'
import { openExecution } from '../executions/sealed/open-execution.ts'
import { executionView } from '../executions/execution-view.ts'
import { visibleNow } from '../executions/sealed/visible.ts'
import { type HttpResponse, httpResponse, unchanged } from '../../base/wire/call.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Table } from '../../base/table/table.ts'

/** Each command needs an approval of its own, so nothing is allowed for a while. */
export const AgentApproveBody = DecisionBody.pick({ on_behalf_of: true }).extend({
  reason: z.string().min(1).max(2_000).describe('The reason, for people.'),
})
type AgentApproval = z.output<typeof AgentApproveBody>

/** Finds a task by the id of its execution, with the prefix `tsk_` or `exe_`. */
export async function loadTask(table: Table, space: Space, { params }: { params: Record<string, string> }) {
  const id = (params.task_id ?? '').replace(/^tsk_/, 'exe_')
  const execution = await table.get(executions, { ...space, id })
  if (!execution?.task_id) throw notFound('task')
  if (!execution.held) throw conflict(`This task is ${execution.status} and needs no approval.`)
  return loadVoteInputs(table, space, { params: { id: execution.held.id } })
}

/** The vote of the caller on the command of a task; castVote says what it leaves and refuses. */
export const approveTask = async (ctx: Context, inputs: VoteInputs, body: AgentApproval): Promise<HttpResponse> =>
  taskResponse(await castVote(ctx, inputs, { decision: 'approve', ...body }))

function taskResponse({ execution, opened, repeated }: Pick<Voted, 'execution' | 'opened' | 'repeated'>): HttpResponse {
  const body = executionView(execution, opened)
  return repeated ? unchanged(body) : httpResponse(200, body)
}

/** The present state, for a repeat with the same Idempotency-Key. */
export async function replayTask(ctx: Context, approvalId: string): Promise<HttpResponse> {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id: approvalId })
  if (!approval) throw notFound('approval')
  return taskResponse({ ...(await visibleNow(ctx, openExecution(ctx, approval.request_id))), repeated: true })
}
