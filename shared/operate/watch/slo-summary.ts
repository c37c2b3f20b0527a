import type { Context } from '../../base/context.ts'
import type { SloSummary } from '../../base/ports/rows.ts'
import { allOf } from '../definitions/definitions.ts'
import { SLOS } from '../slos/slo.ts'
import { errorBudgets } from './error-budget.ts'

/** How many objectives of the space are in which state now. */
export async function sloSummary(ctx: Context): Promise<SloSummary> {
  const budgets = await errorBudgets(ctx, await allOf(ctx, SLOS))
  const of = (wanted: string) => budgets.filter(({ status }) => status === wanted).length
  return { healthy: of('healthy'), at_risk: of('at_risk'), breached: of('breached'), no_data: of('no_data') }
}
