import type { Context } from '../../base/context.ts'
import type { Proven } from '../../ledger/evidence/artifact/lifecycle.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { openReview } from './review-task.ts'
import type { Submission } from './submission.ts'

/** Commits a submission that was made or has got its file. What is complete comes with the task to decide on it. */
export async function storeSubmitted(ctx: Context, { item, write, transition }: Proven<Submission>): Promise<void> {
  const task = item.status === 'submitted' ? await openReview(ctx, item) : undefined
  const evidence = recorded(ctx, [transition, ...(task?.transitions ?? [])], { mails: task?.mails ?? [] })
  await ctx.table.commit([write, ...(task?.writes ?? []), ...evidence], item.id)
}
