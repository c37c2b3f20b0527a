import * as z from 'zod'
import { bodyOf, Content, Snapshot } from './snapshot.ts'

export const SnapshotView = Snapshot.pick({
  tenant_id: true,
  id: true,
  status: true,
  trigger: true,
  window_days: true,
  window: true,
  requested_by: true,
  error: true,
  created_at: true,
  updated_at: true,
}).extend({
  node_id: z.string().nullable().describe('Id of the node.'),
  computed_ms: z.int().nullable().describe('How long it took to make; null until it is made.'),
  /** Present once it is completed. */
  ...Content.partial().shape,
})

/** The response drops what is kept for the next snapshot. */
export const snapshotView = (snapshot: Snapshot): z.input<typeof SnapshotView> => ({
  ...snapshot,
  ...bodyOf(snapshot),
  node_id: snapshot.node_id ?? null,
  computed_ms: snapshot.computed_ms ?? null,
})
