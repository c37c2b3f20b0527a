// Submitted evidence as the API shows it.
import * as z from 'zod'
import { Submission, statusAt } from './submission.ts'
import { uploadAddress } from './upload.ts'

export const SubmissionView = Submission.omit({ tenant_id: true, mode: true })
export type SubmissionView = z.output<typeof SubmissionView>

export const AwaitedView = SubmissionView.extend({
  /** The upload URL while the file is awaited. Each of `headers` must be sent unchanged. */
  upload: z
    .object({
      url: z.string(),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()),
      expires_at: z.string(),
    })
    .optional(),
})
export type AwaitedView = z.output<typeof AwaitedView>

export const submissionView = (submission: Submission, now: number): SubmissionView =>
  SubmissionView.parse({ ...submission, status: statusAt(submission, now) })

/** With a new upload URL. */
export function awaitedView(submission: Submission, now: number): AwaitedView {
  const view = submissionView(submission, now)
  const { status, file } = view
  return status === 'awaiting_upload' && file ? { ...view, upload: uploadAddress(submission, file, now) } : view
}
