// How far the executions requested on one UTC day have been counted, and what was counted.
import { DAY_MS } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { LIST_SHARDS } from '../../govern/executions/execution.ts'
import { Tally } from './tally.ts'

const KEPT_MS = 400 * DAY_MS

export const WalkedDay = z.object({
  ...spaceMembers,
  /** `yyyy-mm-dd`, UTC, of the requests. */
  date: z.string(),
  /** The rules that counted it, with their versions. When one changes, the day is counted anew. */
  rules: z.string(),
  /** Of each shard of the list: the last id that was read; empty at first. */
  cursors: z.array(z.string()),
  /** Everything requested before this instant (ms) was read. The day is over when it is the day's end. */
  read_to: z.int(),
  /** Read, and neither run nor ended. */
  open: z.array(z.string()),
  /** Those that the run at it reads again. */
  again: z.array(z.string()),
  /** The run that began to count it, the one at it, and the last one that brought it up to date. */
  begun_by: z.string(),
  at_it: z.string().optional(),
  done_by: z.string().optional(),
  /** There were more open ones than are kept, so the next run counts the day anew. */
  overflown: z.literal(true).optional(),
  tallies: z.record(z.string(), Tally),
  /** Executions at which a policy of high or critical severity fired, and how many more there are. */
  violations: z.array(z.string()),
  violations_more: z.int(),
})
export type WalkedDay = z.output<typeof WalkedDay>

export const walkPartition = (space: Space): string => spaceKey(space, 'CHKWALK')

export const walkedDays = entity({
  name: 'WALKED_DAY',
  unbound: 'bounded',
  schema: WalkedDay,
  key: (of: Space & { date: string }) => ({ pk: walkPartition(of), sk: key('EXEC', of.date) }),
  ttl: ({ date }) => Math.floor((Date.parse(date) + KEPT_MS) / 1_000),
})

type Begun = Pick<WalkedDay, 'date' | 'rules' | 'begun_by'>

export const newDay = ({ tenant_id, mode }: Space, begun: Begun): WalkedDay => ({
  tenant_id,
  mode,
  ...begun,
  cursors: Array.from({ length: LIST_SHARDS }, () => ''),
  read_to: Date.parse(begun.date),
  open: [],
  again: [],
  tallies: {},
  violations: [],
  violations_more: 0,
})

export const dayEnd = (date: string): number => Date.parse(date) + DAY_MS
