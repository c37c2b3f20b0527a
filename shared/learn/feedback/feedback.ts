// What people say about an execution, an approval, a model, a dataset or a persona. One per principal and target; a second one
// replaces the first.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'

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
