import { pageOf } from '../../shared/base/wire/page-of.ts'
import { ListQuery, listView } from '../../shared/base/wire/pagination.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { allRunbooks, RunbookView, runbookView } from '../../shared/operate/runbooks/runbook.ts'
import { runbooks } from './routes.ts'

export const shapes = { query: ListQuery, response: listView(RunbookView) }

export const handler = endpoint(runbooks.list, shapes, async ({ query, ctx }) =>
  pageOf(ctx, runbooks.list.id, query, (await allRunbooks(ctx)).map(runbookView), ({ id }) => id),
)
