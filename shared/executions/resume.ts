// Continues what a process that died left behind, from the stored state alone: an approved action that nobody claimed, a
// call whose lease ran out, an undo that did not finish.
import { resumeApproved } from '../approvals/resume.ts'
import { approvalOf } from '../approvals/approved.ts'
import { mayRun } from '../approvals/evidence-of.ts'
import type { Context } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { loadActionOf } from '../manifests/load.ts'
import type { Stored } from '../table/entity.ts'
import { CALLS_MAX } from './call-target.ts'
import { type Execution, executions } from './execution.ts'
import { findExecution, openSealed } from './open.ts'
import { conclude, leaseFrom, perform, readyTarget } from './run-target.ts'
import { finishUndo } from './undo.ts'

export async function resumeExecution(ctx: Context, id: string): Promise<void> {
  const execution = await findExecution(ctx, id)
  if (!execution.lease_until || execution.lease_until > iso(ctx.now())) return
  if (execution.status === 'approved') await resumeApproved(ctx, execution)
  else if (execution.status === 'executing') await resumeCall(ctx, execution)
  else if (execution.undo?.state === 'running') await resumeUndo(ctx, execution)
}

/** A repeat is safe only where the target honours the idempotency key; otherwise the outcome is unknown, never guessed. */
async function resumeCall(ctx: Context, was: Stored<Execution>): Promise<void> {
  const action = await loadActionOf(ctx.table, ctx.space, was)
  const open = await openSealed(ctx, was)
  const { payload } = open.opened
  const made = was.attempt ?? 1
  if (!action.endpoint.idempotency || made >= CALLS_MAX || !payload || !(await mayRun(ctx, open))) {
    const message = 'The call of the target was interrupted; its outcome is not known.'
    const error = { code: 'target_timeout', message }
    await conclude(ctx, was, { status: 'outcome_unknown', error, retries: made - 1 })
    return
  }
  const [target, approval] = await Promise.all([readyTarget(ctx, action), approvalOf(ctx, was)])
  const stored = await takeOver(ctx, was, { attempt: made + 1 })
  await perform(ctx, stored, { action, target, payload, approval })
}

/** The undo action has a lease of its own, which brings it to an end first. */
async function resumeUndo(ctx: Context, was: Stored<Execution>): Promise<void> {
  const child = await ctx.table.get(executions, { ...ctx.space, id: was.undo?.request_id ?? '' })
  if (child?.status === 'executing') await takeOver(ctx, was)
  else await finishUndo(ctx, was, child?.status === 'executed')
}

/** Renews the lease. */
async function takeOver(ctx: Context, was: Stored<Execution>, change: Partial<Execution> = {}) {
  const next: Execution = { ...was, ...change, lease_until: leaseFrom(ctx.now()) }
  await ctx.table.commit([executions.replace(next, was)])
  return { ...next, _v: was._v + 1 }
}
