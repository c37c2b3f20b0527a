import * as z from 'zod'
import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { AB_STATUSES } from '../../shared/learn/experiments/ab-test.ts'
import { AbTestView, listTests } from '../../shared/learn/experiments/test-view.ts'
import { training } from './routes.ts'

export const shapes = {
  query: ListQuery.extend({ status: z.enum(AB_STATUSES).optional().describe('Only those in this state.') }),
  response: listView(AbTestView),
}

export const handler = endpoint(training.listAbTests, shapes, async ({ query, ctx }) =>
  pageOf(ctx, training.listAbTests.id, query, await listTests(ctx, query.status), ({ id }) => id),
)
