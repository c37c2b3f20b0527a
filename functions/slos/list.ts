import * as z from 'zod'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { allOf } from '../../shared/operate/definitions/definitions.ts'
import { SLO_STATUSES } from '../../shared/operate/slos/budget.ts'
import { errorBudgets } from '../../shared/operate/watch/error-budget.ts'
import { SLOS, SloView, sloView } from '../../shared/operate/slos/slo.ts'
import { slos } from './routes.ts'

const Listed = SloView.extend({
  status: z.enum(SLO_STATUSES).describe('The current state.'),
  budget_remaining_percent: z
    .number()
    .describe('How much of the error budget is left; negative when more than all is used up.'),
})

export const shapes = { query: ListQuery, response: listView(Listed) }

export const handler = endpoint(slos.list, shapes, async ({ query, ctx }) => {
  const page = await pageOf(ctx, slos.list.id, query, await allOf(ctx, SLOS), ({ id }) => id)
  const budgets = await errorBudgets(ctx, page.items)
  const items = page.items.map((slo, index) => {
    const { status = 'no_data', budget_remaining_percent = 100 } = budgets[index] ?? {}
    return { ...sloView(slo), status, budget_remaining_percent }
  })
  return { ...page, items }
})
