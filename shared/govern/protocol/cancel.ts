// Withdraws a request before it runs: while it waits for people, or approved but not claimed yet.
import type { Context, Principal } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { approvals } from '../approvals/approval.ts'
import { cancelHeld } from '../approvals/cancel.ts'
import { expireApproval } from '../approvals/end.ts'
import type { Execution } from '../executions/execution.ts'
import { findExecution } from '../executions/sealed/open-execution.ts'
import { EXECUTION_STATES } from '../executions/states.ts'
import { storedTexts } from '../governance/pii/stored-text.ts'
import { afterChange, isRequester } from './changed-execution.ts'

/**
 * Afterwards the action can never run, and its task, held undo or deployment has ended with it. Throws 403 for a caller who did not request
 * it, 409 for an execution that has begun or has ended. Either this commit or the claim of the action happens, never both. A repeat
 * changes nothing.
 */
export async function cancelExecution(ctx: Context, requestId: string, reason?: string): Promise<HttpResponse> {
  mustBeRequester(ctx.principal, await findExecution(ctx, requestId))
  const texts = await storedTexts(ctx, { reason })
  return afterChange(ctx, await retryWhenChanged(() => cancel(ctx, requestId, texts.reason)))
}

async function cancel(ctx: Context, id: string, reason = 'cancelled by the requester') {
  const execution = await findExecution(ctx, id)
  if (execution.status === 'cancelled') return { execution, repeated: true }
  mustAllowMove(EXECUTION_STATES, execution.status, 'cancelled')
  const held = execution.held && (await ctx.table.get(approvals, { ...ctx.space, id: execution.held.id }))
  if (!held) throw conflict('This execution has no approval, so the sweeper ends it. Read it again.')
  if (held.status === 'pending' && iso(ctx.now()) >= held.expires_at) {
    await expireApproval(ctx, held, execution)
    throw conflict('This approval has expired, and the action with it.')
  }
  return { execution: await cancelHeld(ctx, held, execution, { reason, ref: id }), repeated: false }
}

/** Allowed: the credential of the request, and the people who are accountable for it. */
function mustBeRequester(principal: Principal, execution: Execution): void {
  if (isRequester(principal, execution)) return
  throw forbidden('You did not request this action. Ask its requester to cancel it, or reject its approval.')
}
