// Reads the list of executions from the oldest on.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Retention } from '../../base/tenant/retention.ts'
import { type Execution, executions, LIST_SHARDS, listPartition } from '../../govern/executions/execution.ts'

type Place = Pick<Retention, 'month' | 'after'>
/** `months`: how many of them are looked at for one that is not empty; default: all. */
type Wanted = { days: number; perShard: number; months?: number }

const cutoffOf = (ctx: Context, days: number): number => Math.max(0, ctx.now() - days * DAY_MS)
const lastMonth = (ctx: Context, days: number): string => iso(cutoffOf(ctx, days)).slice(0, 7)

/** The next executions that began before the cutoff, of all parts of the list; undefined when there are none. */
export async function nextPage(
  ctx: Context,
  place: Place,
  { days, perShard, months = Number.POSITIVE_INFINITY }: Wanted,
) {
  const to = firstId('exe', cutoffOf(ctx, days))
  const last = lastMonth(ctx, days)
  let { month, after } = place
  for (let looked = 0; month <= last && looked < months; looked += 1) {
    const parts = await Promise.all(
      Array.from({ length: LIST_SHARDS }, (_, shard) =>
        ctx.table.query(executions, {
          pk: listPartition(ctx.space, month, shard),
          index: 'gsi1',
          to,
          limit: perShard,
          ...(after[shard] && { after: after[shard] }),
        }),
      ),
    )
    const found: Stored<Execution>[] = parts.flat()
    if (found.length > 0) return { found, month, after: parts.map((part, i) => part.at(-1)?.id ?? after[i] ?? '') }
    month = monthAfter(month)
    after = []
  }
  return undefined
}

/** Where to go on when all before the cutoff was read: months that are over get no more executions. */
export function lastPlace(ctx: Context, place: Place, days: number): Place {
  const month = lastMonth(ctx, days)
  return place.month < month ? { month, after: [] } : { month: place.month, after: place.after }
}

function monthAfter(month: string): string {
  const date = new Date(`${month}-01T00:00:00.000Z`)
  date.setUTCMonth(date.getUTCMonth() + 1)
  return iso(date.getTime()).slice(0, 7)
}
