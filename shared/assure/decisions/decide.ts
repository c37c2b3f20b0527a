// Decides on submitted evidence: somebody other than its submitter says whether it is good. The endpoint and the task of the
// review end in the same parts of a commit.
import type { Context } from '../../base/context.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import { conflict, invalid } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { closeTask } from '../../govern/tasks/store-task.ts'
import { personStays } from '../../govern/tasks/worker.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { reviewTaskId } from '../submissions/submit.ts'
import { Decision, findSubmission, type Submission } from '../submissions/submission.ts'
import { decisionParts, REASON_MAX, type Verdict } from './decision-parts.ts'
import { settleSoon } from './settle.ts'
import type { TaskAnswer, TaskEffect } from '../../govern/tasks/task-effects.ts'
import type { Task } from '../../govern/tasks/task.ts'

/**
 * Accepts or rejects a piece of evidence and completes the task of the review, if it is still open, in one commit. Throws 403 for
 * a person or key that may not decide, 404, and 409 for another version, a piece that waits for no decision, or one that the chain
 * does not prove. Who decides and when come from the request's principal and the clock. A second decision meets 409. If the process
 * dies after the commit, the sweeper does the work that follows it.
 */
export async function decideEvidence(
  ctx: Context,
  id: string,
  { version, ...verdict }: Verdict & { version?: number | undefined },
): Promise<Stored<Submission>> {
  const submission = await retryWhenChanged(async () => {
    const was = await findSubmission(ctx, id)
    mustBeCurrent(version, was._v)
    const parts = await decisionParts(ctx, was, verdict)
    const task = await closeTask(ctx, reviewTaskId(id), { status: 'completed', resolution: verdict.decision })
    const [first, ...others] = task?.transitions ?? []
    const evidence = first ? commitWith(ctx, [first, ...others], { mails: task?.mails ?? [] }) : []
    await ctx.table.commit([...parts.writes, ...(await deciderStays(ctx)), ...(task?.writes ?? []), ...evidence], id)
    return parts.submission
  })
  await settleSoon(ctx, submission)
  return submission
}

/** The commit fails if the account of the person who decides is no longer active. */
async function deciderStays(ctx: Context): Promise<Write[]> {
  const { user_id } = ctx.principal
  const stays = user_id === undefined ? [] : await personStays(ctx, user_id)
  if (!stays) throw conflict('Your account is no longer active. Ask an administrator of your tenant.')
  return stays
}

/**
 * Completing the task of a review decides on the evidence, by the same rules. `resolution` is the decision, the note its reason.
 * Throws the refusals of the decision.
 */
export async function reviewEffect(
  ctx: Context,
  { source }: Task,
  { resolution, note }: TaskAnswer,
): Promise<TaskEffect> {
  const decision = Decision.shape.decision.safeParse(resolution)
  if (!decision.success) throw invalid(['resolution'], 'must be accepted or rejected for a task of this kind')
  if (note === undefined) throw invalid(['note'], 'must say why, for a task of this kind')
  if (note.length > REASON_MAX)
    throw invalid(['note'], `must have at most ${REASON_MAX} characters for a task of this kind`)
  const was = await findSubmission(ctx, source?.id ?? '')
  const { submission, writes } = await decisionParts(ctx, was, { decision: decision.data, reason: note })
  return { writes, transitions: [], after: () => settleSoon(ctx, submission) }
}
