// An erasure: the payload, or the data subject whose payloads, must become unreadable, and whether all copies are gone.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { moves } from '../../base/kernel/lifecycle.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'

export const ERASURE_STATUSES = ['running', 'completed'] as const
export type ErasureStatus = (typeof ERASURE_STATUSES)[number]
export const ERASURE_STATES: States<ErasureStatus> = { running: ['completed'], completed: [] }

export const Erasure = z.object({
  ...resourceMembers,
  status: z.enum(ERASURE_STATUSES).describe('The current state.'),
  /** Exactly one of the two: everything of a data subject, or one execution. */
  subject_ref: z.string().optional(),
  request_id: z.string().optional(),
  reason: z.string(),
  /** The artifact of the request. */
  artifact_id: z.string(),
  /** How many executions had a payload to erase. */
  payloads: z.int().describe('The number of payloads that became unreadable.'),
  requested_at: z.string().describe('When it was requested.'),
  completed_at: z.string().optional().describe('When it was finished.'),
  /**
   * Until then a backup of the table may still hold the sealed payload of one execution. Null for a data subject: its key
   * is in no backup, so nothing in one can be read.
   */
  backups_clear_at: z.string().nullable().describe('When no backup holds the erased data anymore.'),
  /** While running: when the sweeper continues it. */
  due_at: z.string().optional(),
})
export type Erasure = z.output<typeof Erasure>

export const erasures = entity({
  name: 'ERASURE',
  unbound: 'bounded',
  schema: Erasure,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'ERASURE', of.id), sk: 'ERASURE' }),
  index: (item) => ({
    gsi1pk: erasuresPartition(item),
    gsi1sk: key(item.status, item.id),
    ...dueAt(item.due_at, item.id),
  }),
})

/** The request is proven; that it is completed follows from it. */
export const { move: moveErasure } = moves(erasures, ERASURE_STATES)

export const erasuresPartition = (space: Space): string => spaceKey(space, 'ERASURES')

export const ErasureView = Erasure.pick({
  id: true,
  status: true,
  payloads: true,
  requested_at: true,
  completed_at: true,
  backups_clear_at: true,
})
