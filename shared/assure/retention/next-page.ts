// Reads the list of executions from the oldest on, and says when the payload of each may go and how the days that count change.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { firstId, timeOfId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { daysInEffect, inGrace, type Retention, type RetentionStatement } from '../../base/tenant/retention.ts'
import { type Execution, executions, LIST_SHARDS, listPartition } from '../../govern/executions/execution.ts'
import { RETENTION_DAYS_MAX } from '../../base/tenant/tenant.ts'
import { hasSealed } from '../../govern/executions/sealed/remove.ts'
import { isUnderWay } from '../../govern/executions/states.ts'

type Place = Pick<Retention, 'month' | 'after'>
/** `months`: how many are searched for one that is not empty; default: all. */
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

export const GRACE_MS = 30 * DAY_MS

/**
 * The instant (ms) from which the payload may be removed; undefined when nothing of it is left. An execution that has not ended
 * is examined again a day later. An unknown outcome has ended: it can be reported for a week, which is over long before.
 */
export function removableAt(execution: Execution, days: number, now: number): number | undefined {
  if (!hasSealed(execution)) return undefined
  const { id, status, lease_until, undo, undo_until, artifacts } = execution
  const isUndone = undo?.state === 'running' || undo?.state === 'held'
  if (isUnderWay(status) || lease_until !== undefined || isUndone) return now + DAY_MS
  const times = [...artifacts.map(({ at }) => at), ...(undo_until === undefined ? [] : [undo_until])].map(Date.parse)
  return Math.max(timeOfId(id), ...times) + days * DAY_MS
}

/**
 * The next statement when plan or setting give these days. `was`: the former statement, if it is proven. Fewer days than now
 * begin after a grace; more days than now end a grace. Without proof of a former statement, the longest time of all counts as
 * that of now.
 */
export function nextStatement(was: RetentionStatement | undefined, days: number, now: number): RetentionStatement {
  const kept = was ? daysInEffect(was, now) : RETENTION_DAYS_MAX
  if (days >= kept) return { days }
  if (was?.grace && inGrace(was, now) && days >= was.days) return { days, grace: was.grace }
  return { days, grace: { days: kept, until: iso(now + GRACE_MS) } }
}
