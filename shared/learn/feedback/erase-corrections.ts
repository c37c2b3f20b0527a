import type { Context } from '../../base/context.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { feedbackPartition, feedbacks } from './feedback.ts'

/** One for each principal of a tenant. */
const FEEDBACK_MAX = 10_000

/** Removes what people wrote beside the erased payload of an execution. What they thought of it stays. */
export async function eraseCorrections(ctx: Context, executionId: string): Promise<void> {
  const pk = feedbackPartition(ctx.space, 'execution', executionId)
  const found = await wholeRange(ctx.table, feedbacks, { pk }, FEEDBACK_MAX)
  for (const one of found.filter(({ correction, comment }) => correction ?? comment))
    await ctx.table.update(feedbacks.key(one), { remove: ['correction', 'comment'] })
}
