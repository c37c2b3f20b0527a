// The counts of the walks: of the executions requested on one UTC day, and of the audit log of one month. Each says how far it has
// been counted. Tallies of days add up to that of a window.
import { DAY_MS } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { LIST_SHARDS } from '../../govern/executions/execution.ts'

/** How many members of a population hold. */
const Tally = z.object({
  numerator: z.int(),
  denominator: z.int(),
  /** The 20 smallest, sorted. */
  failing_ids: z.array(z.string()),
  failing_count: z.int(),
})
type Tally = z.output<typeof Tally>

export const EMPTY: Tally = { numerator: 0, denominator: 0, failing_ids: [], failing_count: 0 }

const SAMPLE = 20
const smallest = (ids: readonly string[]): string[] => [...new Set(ids)].toSorted().slice(0, SAMPLE)

/** With one more member. */
export const countedOfDay = (
  { numerator, denominator, failing_ids, failing_count }: Tally,
  id: string,
  holds: boolean,
): Tally => ({
  numerator: numerator + (holds ? 1 : 0),
  denominator: denominator + 1,
  failing_ids: holds ? failing_ids : smallest([...failing_ids, id]),
  failing_count: failing_count + (holds ? 0 : 1),
})

export const sumOf = (tallies: readonly Tally[]): Tally => ({
  numerator: tallies.reduce((sum, { numerator }) => sum + numerator, 0),
  denominator: tallies.reduce((sum, { denominator }) => sum + denominator, 0),
  failing_ids: smallest(tallies.flatMap(({ failing_ids }) => failing_ids)),
  failing_count: tallies.reduce((sum, { failing_count }) => sum + failing_count, 0),
})

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
