import { endpoint } from '../../shared/edge/endpoint.ts'
import { find } from '../../shared/operate/definitions/definitions.ts'
import { ErrorBudget, errorBudgets } from '../../shared/operate/watch/error-budget.ts'
import { SLOS } from '../../shared/operate/slos/slo.ts'
import { slos } from './routes.ts'

export const shapes = { response: ErrorBudget }

export const handler = endpoint(slos.errorBudget, shapes, async ({ params, ctx }) => {
  const slo = await find(ctx, SLOS, params.id)
  const [budget] = await errorBudgets(ctx, [slo])
  if (!budget) throw new Error('an objective without a budget')
  return budget
})
