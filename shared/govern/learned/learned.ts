// Which model stands in which slot, as decisions read it: one item of a tenant and mode.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'

/** A model file: where it is in the bucket, and the SHA-256 (hex) without which it is not used. */
const Placed = z.object({ model_id: z.string(), version: z.int(), sha256: z.string(), uri: z.string() })

/** A second model that a test compares with the one in the slot. `split_b`: its share of the units. */
const SlotTestShape = Placed.extend({
  id: z.string(),
  split_b: z.number(),
  unit: z.enum(['agent', 'execution', 'user']),
  /** It changes nothing; else it decides for its share. */
  shadow: z.boolean(),
})
export type SlotTest = z.output<typeof SlotTestShape>

export const PlacedModel = Placed.extend({ test: SlotTestShape.optional() })
export type PlacedModel = z.output<typeof PlacedModel>

export const Learned = z.lazy(() => z.object({ ...spaceMembers, slots: z.record(z.string(), PlacedModel) }))

export const learnedItems = entity({
  name: 'LEARNED',
  unbound: 'bounded',
  schema: Learned,
  key: (space: Space) => ({ pk: spaceKey(space), sk: 'LEARNED' }),
})

/** The slot of decisions for which no persona names one. */
export const USUAL_SLOT = 'approval-scorer'
