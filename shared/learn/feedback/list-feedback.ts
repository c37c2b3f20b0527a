import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { type Feedback, feedbacks, feedbacksPartition, TARGET_TYPES } from './feedback.ts'
import { feedbackView } from './feedback-view.ts'

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
