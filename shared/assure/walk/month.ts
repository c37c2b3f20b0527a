// How far the audit log of one month has been counted, and what was counted.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { walkPartition } from './day.ts'
import { Tally } from './tally.ts'

export const WalkedMonth = z.object({
  ...spaceMembers,
  /** `yyyy-mm`, UTC, of the entries. */
  month: z.string(),
  rules: z.string(),
  /** When (ms) it was begun, to be counted anew after a while. */
  begun_at: z.int(),
  /** The last entry that was read; empty at first. */
  cursor: z.string(),
  entries: z.int(),
  /** Entries that name an artifact, and the most that there were when the month was counted before. */
  named: z.int(),
  named_before: z.int(),
  /** By day (`yyyy-mm-dd`): whether the actor is known. */
  actors: z.record(z.string(), Tally),
})
export type WalkedMonth = z.output<typeof WalkedMonth>

export const walkedMonths = entity({
  name: 'WALKED_MONTH',
  unbound: 'bounded',
  schema: WalkedMonth,
  key: (of: Space & { month: string }) => ({ pk: walkPartition(of), sk: key('AUDIT', of.month) }),
})
