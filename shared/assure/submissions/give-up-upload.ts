// Rejects submitted evidence whose file did not arrive in time, and removes what may be in the bucket, because it can no longer
// be submitted.
import type { Context } from '../../base/context.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { stated } from './submission-artifact.ts'
import { givenUpAt, SUBMISSION_STATES, submissions } from './submission.ts'
import { removeUpload } from './upload.ts'

/** Does nothing before the time is over, or when the file was accepted. */
export async function giveUpUpload(ctx: Context, id: string): Promise<void> {
  const was = await ctx.table.get(submissions, { ...ctx.space, id })
  const at = ctx.now()
  if (was?.status !== 'awaiting_upload' || at < givenUpAt(was)) return
  await removeUpload(was)
  mustAllowMove(SUBMISSION_STATES, was.status, 'rejected')
  const { artifact, submission } = stated(ctx, { ...was, status: 'rejected' }, at)
  await ctx.table.commit([submissions.replace(submission, was), ...recorded(ctx, [{ artifact }])])
}
