import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { countedUntil } from '../../ledger/fold/counted-until.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { HITS_FOLDER } from '../../ledger/hits/folder.ts'
import { newestRows, readSums } from '../../ledger/hits/read-hits.ts'
import { ruleOf } from '../governance/freeze.ts'
import type { Freeze } from './freeze.ts'

/** Undos are told apart among so many of the newest. */
const ROWS_MAX = 1_000

/** How many requests a freeze has refused, and how many of them were to undo something: as counted by `complete_until`. */
export async function stoppedBy(ctx: Context, freeze: Freeze) {
  const from = Date.parse(freeze.set_at)
  const until = await countedUntil(ctx, await positionOf(ctx, HITS_FOLDER))
  const [{ sums }, rows] = await Promise.all([
    readSums(ctx, ruleOf(freeze), { period: 'days', from }),
    newestRows(ctx, ruleOf(freeze), { from, limit: ROWS_MAX }),
  ])
  const undos = rows.filter(({ undo }) => undo === 1).length
  const all = sums.reduce((sum, { n }) => sum + n, 0)
  return { executions: Math.max(0, all - undos), undos, complete_until: iso(until) }
}
