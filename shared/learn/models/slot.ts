// A slot: the place that models of one name take in turn, with its history. What decisions read of it is `LEARNED`, which the
// same transactions move.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import type { Table } from '../../base/table/table.ts'

export const HISTORY_MAX = 50
export const SLOTS_MAX = 20

/** One change of the slot. `from` and `to`: what happened to `model_id`. */
const Turn = z.object({
  model_id: z.string().describe('Id of the model.'),
  from: z.string().describe('What the model was before.'),
  to: z.string().describe('What it became.'),
  by: z.string().describe('Who asked for it.'),
  at: z.string().describe('When it happened.'),
  approval_id: z.string().optional().describe('Id of the approval.'),
  execution_id: z.string().optional().describe('Id of the execution.'),
  reason: z.string().optional().describe('The reason, for people.'),
})
export type Turn = z.output<typeof Turn>

export const Slot = z.object({
  ...spaceMembers,
  slot: z.string(),
  latest_version: z.int(),
  /** The model in it; none where no deployment has succeeded yet. */
  deployed: z.string().optional(),
  /** A model that waits for approval or is being deployed: one at a time. */
  open: z.object({ model_id: z.string(), execution_id: z.string() }).optional(),
  /** Newest last. */
  history: z.array(Turn),
})
export type Slot = z.output<typeof Slot>

export const slots = entity({
  name: 'SLOT',
  unbound: 'bounded',
  schema: Slot,
  key: (of: Space & { slot: string }) => ({ pk: namesPartition(of), sk: key('SLOT', of.slot) }),
})

/** All of them: there are few. */
export const allSlots = (table: Table, space: Space): Promise<Stored<Slot>[]> =>
  table.query(slots, { pk: namesPartition(space), prefix: 'SLOT#' })

export const namesPartition = (space: Space): string => spaceKey(space, 'NAMES')

export const withTurn = (history: readonly Turn[], turn: Turn): Turn[] => [...history, turn].slice(-HISTORY_MAX)
