import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { controlKey, FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'
import {
  endOf,
  type Submission,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
  type SubmissionStatus,
  submissions,
  statusAt,
  statusPartition,
  submittedPartition,
} from './submission.ts'
import { comparedViews } from './view.ts'

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

/** Until the sweeper has stored a status, an item stands in the partition of the one before. */
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
