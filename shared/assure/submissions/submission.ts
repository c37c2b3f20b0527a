// Evidence that a caller submits for controls: its kind and source, whether its file has arrived, and the decision on it.
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
  name: z.string().describe('The name of the file.'),
  content_type: z.string().describe('Media type of the file.'),
  sha256: z.string().describe('SHA-256 of the file, hex.'),
  size: z.int().describe('Size in bytes.'),
})
export type AnnouncedFile = z.output<typeof AnnouncedFile>

/** The period that a piece speaks of: two days, `yyyy-mm-dd`, both included. */
export const Covers = z.object({
  from: z.string().describe('The first day of the period.'),
  to: z.string().describe('The last day of the period.'),
})

export const Actor = z.object({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
  id: z.string().describe('Id of the caller.'),
})

/**
 * `by` decided; `self`: they could have submitted it, too; `raised_by`: people who could have, and who gave the decider's account
 * its access (decision 175). `valid_until` is fixed by accepting it.
 */
export const Decision = z.object({
  decision: z.enum(['accepted', 'rejected']).describe('The decision of the person.'),
  reason: z.string().describe('The reason, for people.'),
  by: Actor.describe('Who decided.'),
  at: z.string().describe('When it happened.'),
  self: z.literal(true).optional().describe('Whether they could have submitted the evidence, too.'),
  raised_by: z
    .array(z.string())
    .optional()
    .describe('Who could have submitted it, and stands behind the account of who decided.'),
  valid_until: z.string().optional().describe('From then on, the evidence does not count.'),
})
export type Decision = z.output<typeof Decision>

export const Submission = z.object({
  ...resourceMembers,
  status: z.enum(SUBMISSION_STATUSES).describe('The current state.'),
  kind: z.enum(SUBMISSION_KINDS).describe('What kind of evidence it is.'),
  title: z.string().describe('A short title.'),
  description: z.string().optional().describe('A description for people.'),
  control_refs: z
    .array(
      z.object({
        framework_id: z.enum(FRAMEWORK_IDS).describe('Id of the framework.'),
        control_id: z.string().describe('Id of the control in the framework.'),
      }),
    )
    .describe('The controls that the evidence supports.'),
  collected_at: z.string().describe('When the evidence was collected.'),
  covers: Covers.optional().describe('The period that the evidence speaks of, both days included.'),
  /** As it was submitted; see `endOf`. */
  valid_until: z.string().optional().describe('When the evidence expires.'),
  /** Which of the next four members is present. */
  source: z.enum(SUBMISSION_SOURCES).describe('How the evidence is provided.'),
  file: AnnouncedFile.optional().describe('The uploaded file.'),
  url: z.string().optional().describe('Address of the evidence.'),
  statement: z.string().optional().describe('The evidence, as text.'),
  artifact_id: z.string().optional().describe('Id of the artifact.'),
  submitted_by: Actor.describe('The caller that submitted it.'),
  submitted_at: z.string().describe('When it was submitted.'),
  /** Everybody who could have submitted it. None of them decides on it. */
  persons: z.array(z.string()),
  decision: Decision.optional().describe('The decision of the person.'),
  /** The work after its acceptance has not been done yet; see `decisions/settle.ts`. */
  unsettled: z.literal(true).optional(),
  /** Hex; see `stateOf` in `submission-artifact.ts`. */
  salt: z.string(),
  /** The artifact of its last change of status. */
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
})
export type Submission = z.output<typeof Submission>

export const submissions = entity({
  name: 'SUBMISSION',
  unbound: 'proven by artifacts',
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

/** The sweeper looks back a few days only, so a piece that had expired when it was accepted is due from then on. */
function dueOf(item: Submission): string | undefined {
  if (item.status === 'awaiting_upload') return iso(givenUpAt(item))
  if (item.status !== 'accepted' || !item.decision) return undefined
  const { at, valid_until } = item.decision
  return item.unsettled || !valid_until || valid_until < at ? at : valid_until
}

const UPLOAD_WITHIN_MS = 86_400_000

/** The status at an instant: the sweeper, which stores it, may be late. A file may arrive within one day. */
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
