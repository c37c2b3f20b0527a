// Counts events that no commit records, beside the work itself: a process that dies may lose its last counts, and none is
// counted twice.
import * as z from 'zod'
import type { Space } from '../context.ts'
import { addNow } from '../kernel/count.ts'
import { iso } from '../lib/clock.ts'
import { MS_EDGES } from '../lib/histogram.ts'
import { warn } from '../lib/log.ts'
import { countedAt } from '../table/due.ts'
import { entity, spaceKey } from '../table/entity.ts'
import type { Table } from '../table/table.ts'

/** Items for each minute, so that concurrent counts do not collide. */
export const TALLY_SHARDS = 4
const KEPT_SECONDS = 2 * 86_400

/** The names of the counts. They are stored, so they never change their meaning. */
export type Tallied =
  /** Answers with an error of the service. */
  | 'rb'
  /** Deliveries of webhooks that ended delivered, and failed. */
  | 'dl_ok'
  | 'dl_bad'
  /** Deliveries that the first attempt delivered. */
  | 'dl_first'
  /** Shares of limits that remain counted, although their actions did not run. */
  | 'll'
  /** Delivered ones by how long they took (`MS_EDGES`). */
  | `dl${number}`

export const TALLIED: readonly Tallied[] = [
  ...(['rb', 'dl_ok', 'dl_bad', 'dl_first', 'll'] as const),
  ...Array.from({ length: MS_EDGES.length + 1 }, (_, bucket) => `dl${bucket}` as const),
]

/** One minute's counts, by name. */
export const tallies = entity({
  name: 'TALLY',
  unbound: 'bounded',
  schema: z.object({ sk: z.string() }).catchall(z.unknown()),
  key: (of: Space & { minute: string; shard: number }) => ({ pk: tallyKey(of), sk: `${of.minute}#${of.shard}` }),
})

export const tallyKey = (space: Space): string => spaceKey(space, 'TALLY')

/** Never throws: the work matters more than its count. */
export async function tally(table: Table, space: Space, ...what: Tallied[]): Promise<void> {
  const now = table.clock.now()
  const shard = (table.random(1)[0] ?? 0) % TALLY_SHARDS
  try {
    await addNow(table, {
      at: tallies.key({ ...space, minute: iso(now).slice(0, 16), shard }),
      add: what.map((name) => [name, 1]),
      set: { _ttl: Math.floor(now / 1_000) + KEPT_SECONDS, _type: tallies.name },
      first: countedAt(space, now),
    })
  } catch (error) {
    warn('tally_unavailable', error, { what: what.join() })
  }
}
