import type { FactAsk, OptionalFacts } from '../../base/ports/facts.ts'
import { allOf } from '../definitions/definitions.ts'
import { SLOS } from '../slos/slo.ts'
import { errorBudgets } from './error-budget.ts'

export async function slos({ ctx }: FactAsk): Promise<OptionalFacts['slos']> {
  const all = await allOf(ctx, SLOS)
  const budgets = await errorBudgets(ctx, all)
  return all.map(({ id, sli }, i) => ({ id, indicator: sli.metric, status: budgets[i]?.status ?? 'no_data' }))
}
