// What people say about an execution, an approval, a model, a dataset or a persona: as it is stored, as its artifact states it, as
// the API lists it. One per principal and target; a second one replaces the first.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { iso } from '../../base/lib/clock.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'

export const TARGET_TYPES = ['execution', 'approval', 'model', 'dataset', 'persona'] as const
export type TargetType = (typeof TARGET_TYPES)[number]
export const FEEDBACK_LABELS = ['correct', 'incorrect', 'unsafe', 'unnecessary'] as const

const Sealed = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

export const Feedback = z.object({
  ...resourceMembers,
  target_type: z.enum(TARGET_TYPES).describe('What kind of thing the feedback is about.'),
  target_id: z.string().describe('Id of what the feedback is about; of a persona its key.'),
  rating: z.union([z.literal(-1), z.literal(0), z.literal(1)]).describe('1: good, -1: bad, 0: neither.'),
  label: z.enum(FEEDBACK_LABELS).optional().describe('What it was, more exactly.'),
  comment: z.string().optional().describe('The words of whoever gave it, without personal data.'),
  /** The payload that would have been right, sealed; and what the evidence commits to. */
  correction: Sealed.optional(),
  correction_commitment: z.string().optional(),
  created_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that created it.'),
  /** Everybody who could have given it. */
  persons: z.array(z.string()),
  /** Given by a person who may decide on approvals. */
  may_decide: z.boolean(),
  created_at: z.string().describe('When it was created.'),
  updated_at: z.string().describe('When it was last changed.'),
  /** The artifact that says the same. */
  artifact: z.object({ id: z.string(), hash: z.string() }),
})
export type Feedback = z.output<typeof Feedback>

export const feedbackPartition = (space: Space, target_type: TargetType, target_id: string): string =>
  spaceKey(space, 'FEEDBACK', target_type, target_id)

export const feedbacksPartition = (space: Space): string => spaceKey(space, 'FEEDBACKS')

export const feedbacks = entity({
  name: 'FEEDBACK',
  unbound: 'bounded',
  schema: Feedback,
  key: (of: Pick<Feedback, 'tenant_id' | 'mode' | 'target_type' | 'target_id' | 'created_by'>) => ({
    pk: feedbackPartition(of, of.target_type, of.target_id),
    sk: of.created_by.id,
  }),
  index: (item) => ({ gsi1pk: feedbacksPartition(item), gsi1sk: item.id }),
})

export const FEEDBACK_ARTIFACT = 'training.feedback.submitted'

export type Stated = Pick<
  Feedback,
  'target_type' | 'target_id' | 'rating' | 'label' | 'persons' | 'may_decide' | 'correction_commitment'
>

/** What the artifact states: all that decides whether feedback counts and its verdict, but no text that a person wrote. */
export const artifactData = (of: Stated): NonNullable<Header['data']> => ({
  target_type: of.target_type,
  target_id: of.target_id,
  rating: of.rating,
  persons: of.persons,
  may_decide: of.may_decide,
  ...(of.label && { label: of.label }),
  ...(of.correction_commitment !== undefined && { correction_commitment: of.correction_commitment }),
})

const instant = z.iso.datetime({ offset: true }).transform((time) => iso(Date.parse(time)))

export const FeedbackQuery = z.object({
  target_type: z.enum(TARGET_TYPES).optional().describe('Only on this kind of thing.'),
  target_id: z.string().max(128).optional().describe('Only on this one.'),
  rating: z.enum(['-1', '0', '1']).optional().describe('Only with this rating.'),
  start_at: instant
    .optional()
    .describe('From this time on, ISO 8601.')
    .meta({ examples: ['2026-10-01T00:00:00.000Z'] }),
  end_at: instant
    .optional()
    .describe('Up to this time, ISO 8601.')
    .meta({ examples: ['2026-11-01T00:00:00.000Z'] }),
})
type Filters = z.output<typeof FeedbackQuery>

/** Newest first. */
export async function listFeedback(ctx: Context, query: ListQuery & Filters) {
  const list: ListSource<Stored<Feedback>, Space & Pick<Feedback, 'target_type' | 'target_id' | 'created_by'>> = {
    of: feedbacks,
    index: 'gsi1',
    groups: [{ name: 'all', partitions: [feedbacksPartition(ctx.space)] }],
    filter: filterOf(query),
  }
  const page = await paginate(ctx, 'training-list-feedback', query, list)
  return { ...page, items: page.items.map(feedbackView) }
}

function filterOf({ target_type, target_id, rating, start_at, end_at }: Filters) {
  const given = [target_type, target_id, rating, start_at, end_at].some((one) => one !== undefined)
  if (!given) return undefined
  return (item: Feedback) =>
    (target_type === undefined || item.target_type === target_type) &&
    (target_id === undefined || item.target_id === target_id) &&
    (rating === undefined || item.rating === Number(rating)) &&
    (start_at === undefined || item.created_at >= start_at) &&
    (end_at === undefined || item.created_at < end_at)
}

/** A correction is never shown: only that there is one. */
export const FeedbackView = Feedback.pick({
  tenant_id: true,
  id: true,
  target_type: true,
  target_id: true,
  rating: true,
  label: true,
  comment: true,
  created_by: true,
  created_at: true,
  updated_at: true,
}).extend({
  has_correction: z.boolean().describe('Whether it came with the payload that would have been right.'),
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
})

export function feedbackView(feedback: Stored<Feedback>): z.output<typeof FeedbackView> {
  const {
    mode: _m,
    persons: _p,
    may_decide: _d,
    artifact,
    correction,
    correction_commitment: _c,
    _v,
    ...shown
  } = feedback
  return { ...shown, has_correction: correction !== undefined, evidence_artifact_id: artifact.id, version: _v }
}
