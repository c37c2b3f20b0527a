// Continues what a process that died left behind, from the stored state alone: an approved action that nobody claimed, a
// call whose lease ran out, an undo that did not finish.
import { claim } from '../approvals/carry-out.ts'
import { loadVoteInputs } from '../approvals/inputs.ts'
import { bindingLost, supersede } from '../approvals/supersede.ts'
import type { Context } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { loadAction } from '../manifests/load.ts'
import type { Stored } from '../table/entity.ts'
import { type Execution, executions } from './execution.ts'
import { findExecution, openSealed } from './open.ts'
import { conclude, leaseFrom, perform } from './run-target.ts'
import { finishUndo } from './undo.ts'

/** Calls in all, over every process that tried. */
const CALLS_MAX = 3

export async function resumeExecution(ctx: Context, id: string): Promise<void> {
  const execution = await findExecution(ctx, id)
  if (!execution.lease_until || execution.lease_until > iso(ctx.now())) return
  if (execution.status === 'approved') await claimApproved(ctx, execution)
  else if (execution.status === 'executing') await callAgain(ctx, execution)
  else if (execution.undo?.state === 'running') await endUndo(ctx, execution)
}

async function claimApproved(ctx: Context, was: Stored<Execution>): Promise<void> {
  const inputs = await loadVoteInputs(ctx.table, ctx.space, { params: { id: was.held?.id ?? '' } })
  const { held, execution, action } = inputs
  if (held.consumed_at) return
  const { opened, salt } = await openSealed(ctx, execution)
  const binding = { ...inputs, opened, salt }
  if (!action || bindingLost(binding)) await supersede(ctx, binding)
  else await claim(ctx, { held, execution, opened, action })
}

/** A repeat is safe only where the target honours the idempotency key; otherwise the outcome is unknown, never guessed. */
async function callAgain(ctx: Context, was: Stored<Execution>): Promise<void> {
  const action = await loadAction(ctx.table, ctx.space, was.node_id, was.action_id)
  const attempt = (was.attempt ?? 1) + 1
  if (!action.endpoint.idempotency || attempt > CALLS_MAX) {
    const message = 'The call of the target was interrupted; its outcome is not known.'
    await conclude(ctx, was, {
      status: 'outcome_unknown',
      error: { code: 'target_timeout', message },
      retries: attempt - 2,
    })
    return
  }
  const next: Execution = { ...was, attempt, lease_until: leaseFrom(ctx.now()) }
  await ctx.table.commit([executions.replace(next, was)])
  const { opened } = await openSealed(ctx, was)
  await perform(ctx, { ...next, _v: was._v + 1 }, { action, payload: opened.payload ?? {} })
}

async function endUndo(ctx: Context, was: Stored<Execution>): Promise<void> {
  const child = await ctx.table.get(executions, { ...ctx.space, id: was.undo?.request_id ?? '' })
  if (child?.status === 'executing') return // its own lease brings it to an end first
  await finishUndo(ctx, was, child ?? { ...was, status: 'failed' })
}
