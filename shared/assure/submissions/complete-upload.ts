// Accepts the uploaded file of submitted evidence. Any file other than the announced one is removed without a record.
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { storeSubmitted } from './store-submitted.ts'
import { moveSubmission } from './submission-artifact.ts'
import { findSubmission, type Submission, SUBMISSION_STATES, statusAt } from './submission.ts'
import { checkUpload, removeUpload } from './upload.ts'

export type Completed = { submission: Stored<Submission>; repeated: boolean }

/** A repeat changes nothing. Throws 409 when the file is missing, is another one or comes too late. */
export const completeUpload = (ctx: Context, id: string): Promise<Completed> =>
  retryWhenOvertaken(() => complete(ctx, id))

async function complete(ctx: Context, id: string): Promise<Completed> {
  const was = await findSubmission(ctx, id)
  if (!was.file || hasArrived(was)) return { submission: was, repeated: true }
  const at = ctx.now()
  mustAllowMove(SUBMISSION_STATES, statusAt(was, at), 'submitted')
  const uploaded = await checkUpload(was, was.file)
  if (!uploaded) throw conflict('The file has not been uploaded. Upload it first.')
  if (!uploaded.matches) {
    await removeUpload(was, uploaded)
    throw conflict(
      'The uploaded file was removed, because its size or SHA-256 is not the announced one. Upload the announced file.',
    )
  }
  const made = moveSubmission(ctx, was, 'submitted', {}, at)
  await storeSubmitted(ctx, made)
  return { submission: made.item, repeated: false }
}

/** Only a rejection by somebody says that there was something to decide on. */
const hasArrived = ({ status, decision }: Submission): boolean =>
  decision !== undefined || (status !== 'awaiting_upload' && status !== 'rejected')
