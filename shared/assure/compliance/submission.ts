// Evidence that a caller submits for controls: what it is, its source, and whether its file has arrived.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { FRAMEWORKS } from './catalogue.ts'

export const SUBMISSION_KINDS = [
  'policy',
  'procedure',
  'screenshot',
  'report',
  'access_review',
  'restore_test',
  'risk_assessment',
  'training_record',
  'contract',
  'scan',
  'not_applicable_justification',
  'other',
] as const

export const SUBMISSION_SOURCES = ['file', 'url', 'statement', 'artifact'] as const

export const SUBMISSION_STATUSES = ['awaiting_upload', 'submitted', 'rejected'] as const
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number]
export const SUBMISSION_STATES: States<SubmissionStatus> = {
  awaiting_upload: ['submitted', 'rejected'],
  submitted: [],
  rejected: [],
}

/** The announced file; the uploaded one must be equal. `sha256` in hex, `size` in bytes. */
export const AnnouncedFile = z.object({
  name: z.string(),
  content_type: z.string(),
  sha256: z.string(),
  size: z.int(),
})
export type AnnouncedFile = z.output<typeof AnnouncedFile>

export const Submission = z.object({
  ...resourceMembers,
  status: z.enum(SUBMISSION_STATUSES),
  kind: z.enum(SUBMISSION_KINDS),
  title: z.string(),
  description: z.string().optional(),
  control_refs: z.array(z.object({ framework_id: z.enum(FRAMEWORKS), control_id: z.string() })),
  collected_at: z.string(),
  valid_until: z.string().optional(),
  /** Which of the next four members is present. */
  source: z.enum(SUBMISSION_SOURCES),
  file: AnnouncedFile.optional(),
  url: z.string().optional(),
  statement: z.string().optional(),
  artifact_id: z.string().optional(),
  submitted_by: z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() }),
  submitted_at: z.string(),
  /** The artifact of its last change of status. */
  evidence_artifact_id: z.string(),
})
export type Submission = z.output<typeof Submission>

export const submissions = entity({
  name: 'SUBMISSION',
  schema: Submission,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'SUBMITTED'), sk: of.id }),
  index: (item) => dueAt(item.status === 'awaiting_upload' ? iso(givenUpAt(item)) : undefined, item.id),
})

const UPLOAD_WITHIN_MS = 86_400_000

/** A file may arrive within one day. The time is compared when the evidence is read, so the sweeper may be late. */
export function statusAt({ status, submitted_at }: Pick<Submission, 'status' | 'submitted_at'>, now: number) {
  const over = now >= Date.parse(submitted_at) + UPLOAD_WITHIN_MS
  return status === 'awaiting_upload' && over ? 'rejected' : status
}

/** Lifetime of a presigned URL plus the longest upload. */
const LAST_UPLOAD_MS = 3_600_000

/** From this time (ms) no upload can end, so that the file in the bucket may be removed. */
export const givenUpAt = ({ submitted_at }: Pick<Submission, 'submitted_at'>): number =>
  Date.parse(submitted_at) + UPLOAD_WITHIN_MS + LAST_UPLOAD_MS

const SUBMISSION_ID = idPattern('evd')

export async function findSubmission(ctx: Context, id: string): Promise<Stored<Submission>> {
  const found = SUBMISSION_ID.test(id) ? await ctx.table.get(submissions, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('submitted evidence')
  return found
}
