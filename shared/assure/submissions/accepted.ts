import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { proven } from './submission-artifact.ts'
import { type Submission, submissions, statusAt, statusPartition } from './submission.ts'

/** Accepted evidence that has not expired, newest first; only what the chain proves. */
export async function acceptedEvidence(ctx: Context): Promise<Stored<Submission>[]> {
  const pk = statusPartition(ctx.space, 'accepted')
  const found = await ctx.table.query(submissions, { pk, index: 'gsi1', descending: true })
  const now = ctx.now()
  return proven(
    ctx,
    found.filter((item) => statusAt(item, now) === 'accepted'),
  )
}
