// Submitted evidence as the API shows it.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { evidenceOf } from './submission-artifact.ts'
import {
  endOf,
  statusAt,
  statusPartition,
  Submission,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
  submissions,
  type SubmissionStatus,
  submittedPartition,
} from './submission.ts'
import { uploadAddress } from './upload.ts'
import { iso } from '../../base/lib/clock.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { controlKey, FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

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
async function comparedViews(ctx: Context, all: readonly Stored<Submission>[]): Promise<SubmissionView[]> {
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

export const SubmissionFilters = z.object({
  status: z.enum(SUBMISSION_STATUSES).optional().describe('Only those in this state.'),
  kind: z.enum(SUBMISSION_KINDS).optional().describe('Only of this kind.'),
  framework_id: z.enum(FRAMEWORK_IDS).optional().describe('Only for this framework.'),
  control_id: z
    .string()
    .max(64)
    .optional()
    .describe('Only for this control, as the framework writes it or as it stands in paths.'),
  expires_before: z.iso
    .datetime({ offset: true })
    .transform((time) => iso(Date.parse(time)))
    .optional()
    .describe('Only what expires before this time, ISO 8601.'),
})
type Filters = z.output<typeof SubmissionFilters>
type Source = ListSource<Stored<Submission>, Space & { id: string }>

/** Newest first. */
export async function listEvidence(ctx: Context, query: ListQuery & Filters) {
  const page = await paginate(ctx, 'compliance-list-evidence', query, sourceOf(ctx, query))
  return { ...page, items: await comparedViews(ctx, page.items) }
}

/** Until the sweeper has stored a status, an item is in the partition of its former one. */
const STORED_AS: Partial<Record<SubmissionStatus, SubmissionStatus>> = {
  rejected: 'awaiting_upload',
  expired: 'accepted',
}

function sourceOf(ctx: Context, filters: Filters): Source {
  const { status } = filters
  const filter = filterOf(filters, ctx.now())
  if (!status)
    return { of: submissions, groups: [{ name: 'all', partitions: [submittedPartition(ctx.space)] }], filter }
  const stored = [status, STORED_AS[status]].filter((one) => one !== undefined)
  const partitions = stored.map((one) => statusPartition(ctx.space, one))
  return { of: submissions, index: 'gsi1', groups: [{ name: status, partitions }], filter }
}

function filterOf(filters: Filters, now: number): Source['filter'] {
  const { status, kind, framework_id, control_id, expires_before } = filters
  if (Object.values({ status, kind, framework_id, control_id, expires_before }).every((one) => one === undefined))
    return undefined
  return (item) =>
    (status === undefined || statusAt(item, now) === status) &&
    (kind === undefined || item.kind === kind) &&
    item.control_refs.some(
      (ref) =>
        (framework_id === undefined || ref.framework_id === framework_id) &&
        (control_id === undefined || controlKey(ref.control_id) === controlKey(control_id)),
    ) &&
    (expires_before === undefined || (endOf(item) ?? '~') < expires_before)
}
