// Reads what a rule did since an instant: its sums, and the newest of its rows.
import type * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { firstId } from '../../base/lib/ids.ts'
import { hitDays, type HitPeriod, hits, hitsOfDay, type HitSum, hitSums, periodOf, sumsPartition } from './hit.ts'

/** Agents that only requests name may have any name, so there may be any number of sums. */
const SUMS_MAX = 30_000

/** The sums from the beginning of an hour or a day on. `complete` is false when there are more. */
export async function readSums(
  { table, space }: Context,
  policy_id: string,
  { period, from }: { period: HitPeriod; from: number },
): Promise<{ sums: HitSum[]; complete: boolean }> {
  const pk = sumsPartition({ ...space, policy_id }, period)
  const sums = await table.query(hitSums, { pk, from: periodOf(period, from), limit: SUMS_MAX + 1 })
  return { sums: sums.slice(0, SUMS_MAX), complete: sums.length <= SUMS_MAX }
}

type Newest = { from: number; limit: number }

/** Ids of the executions since an instant (ms), newest first, at most `limit`. */
export const newestHits = async (ctx: Context, policy_id: string, newest: Newest): Promise<string[]> =>
  (await newestRows(ctx, policy_id, newest)).map(({ sk }) => sk)

/** Their rows. */
export async function newestRows(ctx: Context, policy_id: string, { from, limit }: Newest) {
  const found: z.output<(typeof hits)['schema']>[] = []
  const least = firstId('exe', from)
  for (const day of hitDays(ctx.now()).filter((one) => one >= iso(from).slice(0, 10))) {
    const pk = hitsOfDay({ ...ctx.space, policy_id }, day)
    const rows = await ctx.table.query(hits, { pk, from: least, descending: true, limit: limit - found.length })
    found.push(...rows)
    if (found.length >= limit) break
  }
  return found
}
