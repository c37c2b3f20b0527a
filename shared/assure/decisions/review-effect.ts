// Completing the task of a review decides on the evidence, by the rules of the decision itself.
import type { Context } from '../../base/context.ts'
import { invalid } from '../../base/lib/failure.ts'
import type { TaskAnswer, TaskEffect } from '../../govern/tasks/task-effects.ts'
import type { Task } from '../../govern/tasks/task.ts'
import { Decision, findSubmission } from '../submissions/submission.ts'
import { REASON_MAX } from './decision-body.ts'
import { decisionParts } from './decision-parts.ts'
import { settleSoon } from './settle.ts'

/** `resolution` is the decision, the note its reason. Throws what the decision throws. */
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
