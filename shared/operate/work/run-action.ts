// Completing a task that has an action requests that action in the name of the person who completes it: their permissions, their
// rank, all policies and approvals apply as to any request of theirs. One transaction stores the execution and moves the task, so
// a task asks once, also when two people complete it at the same time or the process dies. Loaded with the first such task.
import type { Context } from '../../base/context.ts'
import { conflict, Failure, forbidden } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { loadInputs } from '../../govern/executions/inputs.ts'
import type { ExecuteBody } from '../../govern/executions/request.ts'
import type { ExecutionStatus } from '../../govern/executions/states.ts'
import type { Submission } from '../../govern/executions/submission.ts'
import { rejectionOf } from '../../govern/executions/events.ts'
import { decideOn } from '../../govern/protocol/decide.ts'
import { submit } from '../../govern/protocol/submit.ts'
import { afterAction, provenAction } from '../../govern/tasks/followed.ts'
import { noteWrite, taskParts } from '../../govern/tasks/store-task.ts'
import type { PinnedAction, Task } from '../../govern/tasks/task.ts'
import { TIERS, workerOf } from '../../govern/tasks/worker.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'

/** `next` is the task in review, as the request changes it; `writes` belong to that change. */
type Completed = { was: Stored<Task>; next: Task; writes: readonly Write[] }

/** Throws 403 for a caller who may not request it, 409 where it cannot be requested. Then nothing has changed. */
export async function runAction(ctx: Context, completed: Completed): Promise<void> {
  if (!ctx.principal.permissions.has('protocol:execute'))
    throw forbidden('Completing this task runs an action. You need the permission protocol:execute.')
  const action = await provenAction(ctx, completed.was)
  await unlessMisfit(async () => {
    const submission = await decideOnAction(ctx, action)
    await mustBeWithinTier(ctx, submission)
    const id = ctx.id('exe')
    await submit(ctx, {
      ...submission,
      task: {
        id: completed.was.id,
        execution_id: id,
        authors: action.authors,
        writes: (decided) => moveWrites(ctx, completed, decided, id),
      },
    })
  })
}

async function decideOnAction(ctx: Context, { node_id, action_id, payload }: PinnedAction): Promise<Submission> {
  const unsaid = { decision_contract_id: undefined, routing_hints: undefined, policy_context: undefined }
  const body: ExecuteBody = { node_id, action_id, payload, ...unsaid }
  return decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body, caller: ctx.principal }), body)
}

/** Moves the task to where the first transaction of its execution leads. */
function moveWrites(ctx: Context, { was, next, writes }: Completed, submission: Submission, id: string): Write[] {
  const { rejection, routing_decision } = submission.decision
  const status = firstStatus(submission)
  const asked: Task = {
    ...next,
    tier: routing_decision.tier,
    ...(next.action && { action: { ...next.action, execution: { id, status } } }),
  }
  const requested = { id, status, rejection: rejection && rejectionOf(rejection), error: undefined }
  const { task, note } = afterAction(asked, requested, ctx.now())
  const parts = taskParts(ctx, was, task)
  const [first, ...others] = parts.transitions
  if (!first) throw new Error('a task without evidence')
  return [
    ...parts.writes,
    ...writes,
    ...(note === undefined ? [] : [noteWrite(ctx, was.id, note)]),
    ...commitWith(ctx, [first, ...others], { mails: parts.mails }),
  ]
}

/** The state that the first transaction stores. */
function firstStatus({ decision, action, sandbox }: Submission): ExecutionStatus {
  if (decision.rejection) return 'rejected'
  if (decision.outcome === 'hold') return 'pending_approval'
  return (action.target ?? sandbox) ? 'executing' : 'executed'
}

/** An agent takes no action on by way of a task that it could not have been given as a task. */
async function mustBeWithinTier({ table, space, principal }: Context, { decision }: Submission): Promise<void> {
  const worker = await workerOf(table, space, principal.id)
  const { tier } = decision.routing_decision
  if (worker?.type !== 'ai' || TIERS.indexOf(tier) <= TIERS.indexOf(worker.max_tier)) return
  throw forbidden(`This action is ${tier}, and you take tasks up to ${worker.max_tier}. Ask a person to complete it.`)
}

/** What the service refuses about the action is no fault of this request: the author of the runbook has to correct it. */
async function unlessMisfit<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof Failure) || (error.kind !== 'invalid' && error.kind !== 'not_found')) throw error
    throw conflict(
      `The action of this task cannot be requested: ${error.message}. Mend the runbook, link it again, and cancel this task.`,
    )
  }
}
