import type { Context } from '../../base/context.ts'
import type { Governance } from '../governance/governance.ts'
import { HttpResponse, httpResponse } from '../../base/wire/call.ts'
import type { Execution } from './execution.ts'
import { openExecution, readRef } from './open-execution.ts'
import { firstExecutionView } from './execution-view.ts'
import { type Visible, visibleNow, visibleUnder } from './visible.ts'
import type { ExecutionStatus } from './states.ts'
import type { Submitted } from './submission.ts'

/** Every status that is not listed is a 200. */
const HTTP_STATUS: Partial<Record<ExecutionStatus, number>> = {
  pending_approval: 202,
  rejected: 403,
  failed: 502,
  outcome_unknown: 502,
}

/** The response to the execution request. Reading the execution later is always a 200. */
export const executionResponse = async (
  { execution, opened, repeated }: Submitted,
  { settings }: Governance,
): Promise<HttpResponse> => {
  const visible = await visibleUnder(settings, opened)
  return repeated ? repeatedResponse(execution, visible) : firstResponse(execution, visible)
}

/** An equal request waits already, so nothing of this one was stored but its Idempotency-Key. */
function repeatedResponse(execution: Execution, visible: Visible): HttpResponse {
  const { status, body, headers } = firstResponse(execution, visible)
  return new HttpResponse(status, { ...(body as object), repeated: true }, { headers, unchanged: true })
}

function firstResponse(execution: Execution, visible: Visible): HttpResponse {
  const body = firstExecutionView(execution, visible)
  const wait = body.status === 'rejected' ? execution.rejection?.retry_after_s : undefined
  const headers = {
    ...(body.approval && { Location: `/api/v1/work/approvals/${body.approval.id}` }),
    ...(wait !== undefined && { 'Retry-After': String(wait) }),
  }
  return httpResponse(HTTP_STATUS[body.status] ?? 200, body, headers)
}

/** The first response again, for a repeat with the same Idempotency-Key; undefined while the target has not answered. */
export async function replayExecution(ctx: Context, ref: string): Promise<HttpResponse | undefined> {
  const { id, repeated } = readRef(ref)
  const { execution, opened } = await visibleNow(ctx, openExecution(ctx, id))
  return execution.answered && (repeated ? repeatedResponse : firstResponse)(execution, opened)
}
