// Evidence that a caller submits for controls: what it is, its source, whether its file has arrived, and what was decided on it.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { iso } from '../../base/lib/clock.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { FRAMEWORK_IDS } from '../catalogue/framework-ids.ts'

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

export const SUBMISSION_STATUSES = [
  'awaiting_upload',
  'submitted',
  'accepted',
  'rejected',
  'expired',
  'superseded',
] as const
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number]
export const SUBMISSION_STATES: States<SubmissionStatus> = {
  awaiting_upload: ['submitted', 'rejected'],
  submitted: ['accepted', 'rejected'],
  accepted: ['expired', 'superseded'],
  rejected: [],
  expired: [],
  superseded: [],
}

/** The announced file; the uploaded one must be equal. `sha256` in hex, `size` in bytes. */
export const AnnouncedFile = z.object({
  name: z.string(),
  content_type: z.string(),
  sha256: z.string(),
  size: z.int(),
})
export type AnnouncedFile = z.output<typeof AnnouncedFile>

/** The period that a piece speaks of: two days, `yyyy-mm-dd`, both included. */
export const Covers = z.object({ from: z.string(), to: z.string() })

export const Actor = z.object({ type: z.enum(['user', 'api_key', 'client', 'agent', 'system']), id: z.string() })

/**
 * `by` decided; `self`: they could have submitted it, too; `raised_by`: those who could have, and stand behind them (decision
 * 0175). `valid_until` is fixed by accepting it.
 */
export const Decision = z.object({
  decision: z.enum(['accepted', 'rejected']),
  reason: z.string(),
  by: Actor,
  at: z.string(),
  self: z.literal(true).optional(),
  raised_by: z.array(z.string()).optional(),
  valid_until: z.string().optional(),
})
export type Decision = z.output<typeof Decision>

export const Submission = z.object({
  ...resourceMembers,
  status: z.enum(SUBMISSION_STATUSES),
  kind: z.enum(SUBMISSION_KINDS),
  title: z.string(),
  description: z.string().optional(),
  control_refs: z.array(z.object({ framework_id: z.enum(FRAMEWORK_IDS), control_id: z.string() })),
  collected_at: z.string(),
  covers: Covers.optional(),
  /** As it was submitted; see `endOf`. */
  valid_until: z.string().optional(),
  /** Which of the next four members is present. */
  source: z.enum(SUBMISSION_SOURCES),
  file: AnnouncedFile.optional(),
  url: z.string().optional(),
  statement: z.string().optional(),
  artifact_id: z.string().optional(),
  submitted_by: Actor,
  submitted_at: z.string(),
  /** Everybody who could have submitted it. None of them decides on it. */
  persons: z.array(z.string()),
  decision: Decision.optional(),
  /** What follows from its acceptance has not been carried out yet; see settle.ts. */
  unsettled: z.literal(true).optional(),
  /** Hex; see state-of.ts. */
  salt: z.string(),
  /** The artifact of its last change of status. */
  evidence_artifact_id: z.string(),
})
export type Submission = z.output<typeof Submission>

export const submissions = entity({
  name: 'SUBMISSION',
  schema: Submission,
  key: (of: Space & { id: string }) => ({ pk: submittedPartition(of), sk: of.id }),
  index: (item) => ({
    gsi1pk: statusPartition(item, item.status),
    gsi1sk: item.id,
    ...dueAt(dueOf(item), item.id),
  }),
})

export const submittedPartition = (space: Space): string => spaceKey(space, 'SUBMITTED')

export const statusPartition = (space: Space, status: SubmissionStatus): string => spaceKey(space, 'SUBMITTED', status)

/** From when on it does not count any more: fixed by its acceptance, until then as it was submitted. */
export const endOf = ({ decision, valid_until }: Pick<Submission, 'decision' | 'valid_until'>): string | undefined =>
  decision?.valid_until ?? valid_until

/** The sweeper looks back a few days only, so what was over when it was accepted is due from then on. */
function dueOf(item: Submission): string | undefined {
  if (item.status === 'awaiting_upload') return iso(givenUpAt(item))
  if (item.status !== 'accepted' || !item.decision) return undefined
  const { at, valid_until } = item.decision
  return item.unsettled || !valid_until || valid_until < at ? at : valid_until
}

const UPLOAD_WITHIN_MS = 86_400_000

/** What it is by the time: the sweeper, which stores it, may be late. A file may arrive within one day. */
export function statusAt(
  { status, submitted_at, decision }: Pick<Submission, 'status' | 'submitted_at' | 'decision'>,
  now: number,
): SubmissionStatus {
  if (status === 'awaiting_upload' && now >= Date.parse(submitted_at) + UPLOAD_WITHIN_MS) return 'rejected'
  const end = decision?.valid_until
  return status === 'accepted' && end !== undefined && now >= Date.parse(end) ? 'expired' : status
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
