// Submitted evidence as the API shows it.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { evidenceOf } from './proven.ts'
import { endOf, Submission, statusAt } from './submission.ts'
import { uploadAddress } from './upload.ts'

const hidden = { tenant_id: true, mode: true, persons: true, salt: true, unsettled: true } as const

/** Without the evidence status in answers to changes, which were not read from the table. */
export const SubmissionView = Submission.omit(hidden).extend({
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  ...RowEvidence.partial().shape,
})
export type SubmissionView = z.output<typeof SubmissionView>

export const AwaitedView = SubmissionView.extend({
  /** The upload URL while the file is awaited. Each of `headers` must be sent unchanged. */
  upload: z
    .object({
      url: z.string().describe('A short-lived address for the upload.'),
      method: z.literal('PUT').describe('HTTP method of the upload.'),
      headers: z.record(z.string(), z.string()).describe('Header fields to send.'),
      expires_at: z.string().describe('When it expires.'),
    })
    .optional()
    .describe('How to upload the file.'),
})
export type AwaitedView = z.output<typeof AwaitedView>

export const submissionView = (submission: Stored<Submission>, now: number): SubmissionView =>
  SubmissionView.parse({
    ...submission,
    status: statusAt(submission, now),
    valid_until: endOf(submission),
    version: submission._v,
  })

/** Compared with their evidence. A decision that it contradicts is left out, because a flag beside a name is easily overlooked. */
export async function comparedViews(ctx: Context, all: readonly Stored<Submission>[]): Promise<SubmissionView[]> {
  const evidence = await evidenceOf(ctx, all)
  return all.map((submission, index) => {
    const { decision, ...view } = { ...submissionView(submission, ctx.now()), ...evidence[index] }
    return view.evidence_status === 'differs' ? view : { ...view, decision }
  })
}

export async function comparedView(ctx: Context, submission: Stored<Submission>): Promise<SubmissionView> {
  const [view] = await comparedViews(ctx, [submission])
  return view ?? submissionView(submission, ctx.now())
}

/** With a new upload URL. */
export function awaitedView(submission: Stored<Submission>, now: number): AwaitedView {
  const view = submissionView(submission, now)
  const { status, file } = view
  return status === 'awaiting_upload' && file ? { ...view, upload: uploadAddress(submission, file, now) } : view
}
