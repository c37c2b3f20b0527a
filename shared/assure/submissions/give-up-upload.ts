// Rejects submitted evidence whose file did not arrive in time, and removes what may be in the bucket, because it can no longer
// be submitted.
import type { Context } from '../../base/context.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { moveSubmission } from './submission-artifact.ts'
import { givenUpAt, submissions } from './submission.ts'
import { removeUpload } from './upload.ts'

/** Does nothing before the time is over, or when the file was accepted. */
export async function giveUpUpload(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(submissions, { ...ctx.space, id })
  const at = ctx.now()
  if (was?.status !== 'awaiting_upload' || at < givenUpAt(was)) return
  await removeUpload(was)
  const { write, transition } = moveSubmission(ctx, was, 'rejected', {}, at)
  await ctx.table.commit([write, ...recorded(ctx, [transition])])
}
