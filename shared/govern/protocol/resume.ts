// Continues, from the stored state alone, what a dead process left unfinished. A process takes a lease with the commit that begins a piece
// of work; when the lease has run out and the work is not done, the sweeper goes on with it. By the state that it finds:
//
//   approved     Nobody claimed the action. It is proven by the chain, decided on again, and claimed (approvals/resume.ts).
//   executing    The target may or may not have been called. A call is repeated only if the target is idempotent, calls are left, and the
//                chain proves that the action may run and policies still allow it: a table row alone starts no call. Otherwise the outcome
//                is stored as unknown, and the requester or an approver can report it.
//   with `undo`  The undo did not end. It takes over the end of the execution that carries it out, waits with it, or is given up if that
//                execution was never stored (executions/target/settle-undo.ts).
//
// Each step commits against the revision that was read. If the first process was only slow, or two sweepers come at once, one of them
// gets a conflict and changes nothing. Before a repeated call the lease is renewed and the call counted, so that all processes together
// never call more often than allowed.
import { resumeApproved } from '../approvals/resume.ts'
import { approvalOf } from '../approvals/end.ts'
import { mayRun } from '../approvals/proven.ts'
import type { Context } from '../../base/context.ts'
import { activeGovernance } from '../governance/governance.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { loadActionOf, type LoadedAction } from '../manifests/load.ts'
import type { Stored } from '../../base/table/entity.ts'
import { CALLS_MAX } from '../executions/call-target.ts'
import { decideAgain } from '../executions/reevaluate.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { findExecution, openSealed } from '../executions/sealed/open-execution.ts'
import { callTurns, conclude, perform, readyTarget } from '../executions/target/run.ts'
import { giveUpUndo, settleUndo } from '../executions/target/settle-undo.ts'

/** Does nothing for an execution without a lease, or whose lease has not run out. */
export async function resumeExecution(ctx: Context, id: string): Promise<void> {
  const execution = await findExecution(ctx, id)
  if (!execution.lease_until || callTurns.isHeld(execution, ctx.now())) return
  if (execution.status === 'approved') await resumeApproved(ctx, execution)
  else if (execution.status === 'executing') await resumeCall(ctx, execution)
  else if (execution.undo) await resumeUndo(ctx, execution)
}

async function resumeCall(ctx: Context, was: Stored<Execution>): Promise<void> {
  const action = await loadActionOf(ctx.table, ctx.space, was)
  const open = await openSealed(ctx, was)
  const { payload } = open.opened
  const made = was.attempt ?? 1
  const repeats = action.endpoint.idempotency && made < CALLS_MAX
  if (!repeats || !payload || !(await mayRun(ctx, open)) || (await isForbidden(ctx, action, was, payload))) {
    const message = 'The call of the target was interrupted; the outcome is not known.'
    const error = { code: 'target_timeout', message }
    await conclude(ctx, was, { status: 'outcome_unknown', error, retries: made - 1 })
    return
  }
  const [target, approval] = await Promise.all([readyTarget(ctx, action), approvalOf(ctx, was)])
  const stored = await callTurns.renew(ctx, was, { attempt: made + 1 })
  await perform(ctx, stored, { action, target, payload, approval })
}

/** An action that was forbidden or frozen since its first call is not called again. */
async function isForbidden(ctx: Context, action: LoadedAction, execution: Execution, payload: JsonObject) {
  const governance = await activeGovernance(ctx.table, ctx.space)
  return 'refusal' in (await decideAgain(ctx, { governance, action, execution, running: true }, payload))
}

/** The undo action ends first, by its own lease or the expiry of its approval. */
async function resumeUndo(ctx: Context, was: Stored<Execution>): Promise<void> {
  const child = await ctx.table.get(executions, { ...ctx.space, id: was.undo?.request_id ?? '' })
  if (!child) await giveUpUndo(ctx, was, 'failed')
  else if (child.status === 'pending_approval') await waitUntil(ctx, was, child.held?.expires_at)
  else if (child.status === 'executing' || child.status === 'approved') await callTurns.renew(ctx, was)
  else await settleUndo(ctx, child)
}

/** Moves the lease to the end of the approval. */
async function waitUntil(ctx: Context, was: Stored<Execution>, expires_at = ''): Promise<void> {
  const soonest = callTurns.until(ctx.now()).lease_until
  const lease_until = expires_at > soonest ? expires_at : soonest
  await ctx.table.commit([executions.replace({ ...was, lease_until }, was)])
}
