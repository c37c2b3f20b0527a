// How approvals are shown. Lists never carry the payload; the detail view shows exactly the bytes that the digest binds.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { RowEvidence } from '../../ledger/evidence/artifact/row-evidence.ts'
import { ExecutionView } from '../executions/answer.ts'
import { openExecution } from '../executions/open.ts'
import { executionView } from '../executions/execution-view.ts'
import { shownNow } from '../executions/shown.ts'
import { HttpResponse, httpResponse, unchanged } from '../../base/wire/call.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { notFound } from '../../base/lib/failure.ts'
import { Approval, approvals, Vote } from './approval.ts'
import type { Voted } from './cast-vote.ts'
import { provenApproval } from './with-evidence.ts'

export const ApprovalView = Approval.unwrap()
  .omit({ tenant_id: true, mode: true, persons: true, votes: true, salt: true })
  .extend({
    votes: z.array(Vote.omit({ persons: true, groups: true })),
    /** Beside what was read from the table, not beside the answer to a vote itself. */
    ...RowEvidence.partial().shape,
  })

export const ApprovalDetail = ApprovalView.extend({
  action_description: z.string().optional(),
  payload: freeForm.nullable(),
  /** Hex: with it and the payload, anyone can recompute the commitment inside the digest. Null where that is not shown exactly. */
  payload_salt: z.string().nullable(),
})

export const ApprovalWithExecution = ApprovalView.extend({ execution: ExecutionView })

export function voteView({ approval, execution, opened, repeated }: Voted): HttpResponse {
  const body = { ...approval, execution: executionView(execution, opened) }
  return repeated ? unchanged(body) : httpResponse(200, body)
}

export async function replayApproval(ctx: Context, id: string): Promise<HttpResponse> {
  const approval = await ctx.table.get(approvals, { ...ctx.space, id })
  if (!approval) throw notFound('approval')
  const { execution, opened } = await shownNow(ctx, openExecution(ctx, approval.request_id))
  return new HttpResponse(200, {
    ...(await provenApproval(ctx, approval, execution)),
    execution: executionView(execution, opened),
  })
}
