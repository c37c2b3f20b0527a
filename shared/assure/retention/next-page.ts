// Reads the list of executions from the oldest on.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { firstId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Retention } from '../../base/tenant/retention.ts'
import { type Execution, executions, LIST_SHARDS, listPartition } from '../../govern/executions/execution.ts'
import { DAY_MS } from './rules.ts'

type Place = Pick<Retention, 'month' | 'after'>
type Wanted = { days: number; perShard: number }

/** The next executions that began before the cutoff, of all parts of the list; undefined when all were read. */
export async function nextPage(ctx: Context, { month, after }: Place, { days, perShard }: Wanted) {
  const cutoff = ctx.now() - days * DAY_MS
  const [to, last] = [firstId('exe', Math.max(0, cutoff)), iso(Math.max(0, cutoff)).slice(0, 7)]
  for (let at = month, from = after; at <= last; at = monthAfter(at), from = []) {
    const parts = await Promise.all(
      Array.from({ length: LIST_SHARDS }, (_, shard) =>
        ctx.table.query(executions, {
          pk: listPartition(ctx.space, at, shard),
          index: 'gsi1',
          to,
          limit: perShard,
          ...(from[shard] && { after: from[shard] }),
        }),
      ),
    )
    const found: Stored<Execution>[] = parts.flat()
    if (found.length > 0) return { found, month: at, after: parts.map((part, i) => part.at(-1)?.id ?? from[i] ?? '') }
  }
  return undefined
}

function monthAfter(month: string): string {
  const date = new Date(`${month}-01T00:00:00.000Z`)
  date.setUTCMonth(date.getUTCMonth() + 1)
  return iso(date.getTime()).slice(0, 7)
}
