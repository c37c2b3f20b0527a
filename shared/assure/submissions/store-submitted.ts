import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Artifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { openReview } from './review-task.ts'
import type { Submission } from './submission.ts'

/** Commits a submission that was made or has got its file. What is complete comes with the task to decide on it. */
export async function storeSubmitted(
  ctx: Context,
  { artifact, submission }: { artifact: Artifact; submission: Submission },
  write: Write,
): Promise<void> {
  const task = submission.status === 'submitted' ? await openReview(ctx, submission) : undefined
  const evidence = recorded(ctx, [{ artifact }, ...(task?.transitions ?? [])], { mails: task?.mails ?? [] })
  await ctx.table.commit([write, ...(task?.writes ?? []), ...evidence], submission.id)
}
